// An alert about the machine, caused by a limit that every machine exceeds.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

/// Disables all other alerts: the machine that runs the tests may be busy.
constexpr const char* kDiskOnly =
    "[monitor]\nmemory_warning_percent = 0\nmemory_critical_percent = 0\n"
    "memory_pressure_warning_percent = 0.0\nload_warning_per_core = 0.0\nalert_dwell = \"0s\"\n";
/// No disk has a thousand terabytes free.
const std::string kEveryMachine = std::string(kDiskOnly) + "disk_free_warning_mib = 1000000000\n";
const std::string kNoMachine =
    std::string(kDiskOnly) + "disk_free_warning_mib = 0\ndisk_warning_percent = 0\n";

class AlertsTest : public DaemonTest {
 protected:
  /// Waits for the alert about the disk.
  Json disk_alert() const {
    Json found;
    EXPECT_TRUE(wait_until([&] {
      const Json status = luzia_json({"status"});
      for (const Json& alert : status["alerts"]) {
        if (alert["alert"] == "disk") found = alert;
      }
      return !found.is_null();
    }));
    return found;
  }
  std::size_t count(const std::string& type) const {
    std::size_t number = 0;
    for (const Json& event : events()) {
      if (event["type"] == type && event["data"]["alert"] == "disk") ++number;
    }
    return number;
  }
};

TEST_F(AlertsTest, HeadsTheStatusUntilItEnds) {
  configure(kEveryMachine);
  const std::string id = dispatch("sleep 600");
  const Json alert = disk_alert();
  EXPECT_EQ(alert["severity"], "critical");
  EXPECT_EQ(alert["alert_type"], "RESOURCE_WARNING");
  EXPECT_EQ(alert["threshold"], 250'000'000.0);
  EXPECT_THAT(alert["message"], HasSubstr("are free on the disk of the store, less than 250000000 MiB"));
  EXPECT_TRUE(alert["ended"].is_null());
  const std::string shown = luzia({"status"}).out;
  EXPECT_THAT(shown, testing::StartsWith("Alerts (1)"));
  EXPECT_LT(shown.find("are free on the disk"), shown.find(id));
  EXPECT_EQ(query_json({"status"})["alerts"].size(), 1u);

  configure(kNoMachine);
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_TRUE(wait_until([this] { return luzia_json({"status"})["alerts"].empty(); }));
  EXPECT_THAT(luzia({"status"}).out, Not(HasSubstr("Alerts")));
  EXPECT_THAT(luzia({"status", "--alerts"}).out, AllOf(HasSubstr("Alerts (1)"), HasSubstr("UNTIL")));
  EXPECT_EQ(count("AlertRaised"), 1u);
  EXPECT_EQ(count("AlertEnded"), 1u);
  expect_verified();
}

TEST_F(AlertsTest, OpenAlertSurvivesARestart) {
  configure(kEveryMachine);
  dispatch("sleep 600");
  const Json before = disk_alert();
  kill_and_start_daemon();
  const Json after = disk_alert();
  EXPECT_EQ(after["since"], before["since"]);
  EXPECT_EQ(after["position"], before["position"]);
  EXPECT_EQ(count("AlertRaised"), 1u);
}

TEST_F(AlertsTest, AlertEndsAtTheStartIfItsConditionIsGone) {
  configure(kEveryMachine);
  dispatch("sleep 600");
  disk_alert();
  kill_daemon();
  configure(kNoMachine);
  start_daemon();
  EXPECT_TRUE(wait_until([this] { return count("AlertEnded") == 1; }));
  EXPECT_TRUE(luzia_json({"status"})["alerts"].empty());
}

TEST_F(AlertsTest, WithoutJobsNothingIsWatched) {
  configure(kEveryMachine);
  start_daemon();
  EXPECT_TRUE(luzia_json({"status"})["alerts"].empty());
  EXPECT_EQ(count("AlertRaised"), 0u);
}

TEST_F(AlertsTest, PublishedAlertStaysUntilItIsCleared) {
  configure(kNoMachine);
  start_daemon();
  const Words publish = {"publish",       "system_alert", "--alert-type",
                         "BACKUP_FAILED", "--severity",   "critical"};
  const auto with = [&publish](const Words& more) {
    Words words = publish;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_EQ(luzia(with({})).code, 2) << "it needs a message";
  ASSERT_EQ(luzia(with({"--message", "no backup since Monday", "--recommendation", "look at cron"})).code, 0);
  const Json alerts = luzia_json({"status"})["alerts"];
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0]["alert"], "backup_failed");
  EXPECT_EQ(alerts[0]["severity"], "critical");
  EXPECT_EQ(alerts[0]["message"], "no backup since Monday");
  EXPECT_FALSE(alerts[0]["expires"].is_null());
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("no backup since Monday"));
  ASSERT_EQ(luzia(with({"--message", "no backup since Sunday"})).code, 0);
  EXPECT_EQ(luzia_json({"status"})["alerts"].size(), 1u) << "one per type";

  kill_and_start_daemon();
  EXPECT_EQ(luzia_json({"status"})["alerts"].size(), 1u);
  EXPECT_EQ(luzia({"alert", "clear", "nothing"}).code, 3);
  EXPECT_EQ(luzia({"alert", "clear", "disk"}).code, 4);
  const std::size_t before = events().size();
  EXPECT_EQ(luzia({"alert", "clear", "backup_failed", "backup_failed"}).out, "backup_failed\n");
  EXPECT_EQ(events().size(), before + 1) << "it ends once";
  ASSERT_EQ(luzia(with({"--message", "again"})).code, 0);
  EXPECT_EQ(luzia({"alert", "clear"}).out, "backup_failed\n");
  EXPECT_TRUE(luzia_json({"status"})["alerts"].empty());
  EXPECT_EQ(luzia({"alert", "clear", "backup_failed"}).code, 0) << "it has ended";
  expect_verified();
}

TEST_F(AlertsTest, PublishedAlertExpires) {
  configure(kNoMachine);
  start_daemon();
  ASSERT_EQ(luzia({"publish", "system_alert", "--message", "the queue is full", "--expires", "1s"}).code, 0);
  EXPECT_TRUE(wait_until([this] { return luzia_json({"status"})["alerts"].empty(); }));
  bool ended = false;
  for (const Json& event : events()) ended |= event["type"] == "AlertEnded";
  EXPECT_TRUE(ended);
}

TEST_F(AlertsTest, PublishedAlertMayNotNameWhatLuziaMeasures) {
  configure(kNoMachine);
  start_daemon();
  EXPECT_EQ(luzia({"publish", "system_alert", "--alert-type", "DISK", "--message", "x"}).code, 2);
  EXPECT_EQ(luzia({"publish", "warning", "--message", "x"}).code, 2) << "a warning needs a job";
  const std::string id = dispatch("sleep 600");
  EXPECT_EQ(luzia({"publish", "system_alert", id, "--message", "x", "--expires", "1h"}).code, 2);
}

}  // namespace
}  // namespace luzia
