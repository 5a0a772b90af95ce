// Schedules of a real daemon: each due time is one job, also across kill -9; runs by hand, pauses, changes of
// the configuration.
#include <filesystem>
#include <set>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::HasSubstr;
using testing::Not;

class SchedulesTest : public DaemonTest {
 protected:
  static std::string schedule_toml(const std::string& name, const std::string& keys) {
    return "[[schedules]]\nname = \"" + name + "\"\nproject = \"demo\"\n" + keys + "\n";
  }
  Json schedule(const std::string& name) const {
    const Json listed = luzia_json({"schedule", "list", "--all"});
    for (const Json& row : listed["schedules"]) {
      if (row["name"] == name) return row;
    }
    return Json::object();
  }
  std::size_t runs(const std::string& name) const { return schedule(name).value("runs", 0U); }
  std::vector<Json> jobs_of(const std::string& name) const {
    return luzia_json({"jobs", "--all", "--schedule", name, "--limit", "0"})["jobs"];
  }
  /// Each due time was dispatched once, and each dispatched job is one that exists, once. Pauses it.
  void expect_each_due_time_once(const std::string& name) const {
    EXPECT_EQ(luzia({"schedule", "pause", name}).code, 0);
    std::set<std::int64_t> dispatched;
    std::set<std::string> jobs;
    for (const Json& event : events()) {
      if (event["type"] != "ScheduleDue" || event["stream"] != "schedule/" + name) continue;
      const auto due = event["data"]["due_us"].get<std::int64_t>();
      if (due == 0) continue;
      if (event["data"]["outcome"] != "dispatched") continue;
      EXPECT_TRUE(dispatched.insert(due).second) << event;
      EXPECT_TRUE(jobs.insert(event["data"]["job"].get<std::string>()).second) << event;
    }
    std::set<std::string> found;
    for (const Json& job : jobs_of(name)) found.insert(job["id"].get<std::string>());
    EXPECT_EQ(found, jobs);
  }
};

TEST_F(SchedulesTest, EveryDueTimeIsOneJob) {
  configure(schedule_toml("tick", "every = \"1s\"\ntask = \"echo tick\"\ntags = [\"night\"]"));
  start_daemon();
  ASSERT_TRUE(wait_until([this] { return schedule("tick").value("completed", 0U) >= 2; }));
  ASSERT_EQ(luzia({"schedule", "pause", "tick", "--note", "enough"}).code, 0);
  const Json row = schedule("tick");
  EXPECT_EQ(row["rule"], "every 1s");
  EXPECT_EQ(row["pause_note"], "enough");
  EXPECT_EQ(row["next_at"], nullptr);
  for (const Json& job : jobs_of("tick")) {
    EXPECT_EQ(job["schedule"], "tick");
    EXPECT_EQ(job["tags"], Json::array({"night"}));
  }
  expect_each_due_time_once("tick");
  expect_verified();
}

TEST_F(SchedulesTest, AKilledDaemonDispatchesEachDueTimeOnce) {
  configure(schedule_toml("tick", "every = \"1s\"\ntask = \"echo tick\""));
  std::size_t before = 0;
  for (const char* point : {"schedule.submitted@1", "schedule.durable@1", "schedule.submitted@2",
                            "append.written@6", "commit.tell@6"}) {
    SCOPED_TRACE(point);
    const FailingDaemon failing = start_daemon_that_ends_at(point);
    if (failing.pid != 0) {
      EXPECT_TRUE(wait_until([&] { return !is_running(failing.pid); }));
    }
    start_daemon();
    ASSERT_TRUE(wait_until([&] { return runs("tick") > before; }));
    before = runs("tick");
    expect_each_due_time_once("tick");
    EXPECT_EQ(luzia({"schedule", "resume", "tick"}).code, 0);
    kill_daemon();
  }
  start_daemon();
  expect_each_due_time_once("tick");
  expect_verified();
}

TEST_F(SchedulesTest, RunsByHandAndRefusesASecondRun) {
  configure(schedule_toml("yearly",
                          "cron = \"0 0 1 1 *\"\ntime_zone = \"UTC\"\n"
                          "task = \"while [ ! -e go ]; do sleep 0.05; done\""));
  start_daemon();
  ASSERT_TRUE(wait_until([this] { return !schedule("yearly").empty(); }));
  EXPECT_THAT(schedule("yearly")["next_at"].get<std::string>(), HasSubstr("-01-01T00:00:00"));
  const Finished run = luzia({"schedule", "run", "yearly", "--command-id", "once"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string id = lines_of(run.out).at(0);
  EXPECT_EQ(lines_of(luzia({"schedule", "run", "yearly", "--command-id", "once"}).out).at(0), id);
  ASSERT_TRUE(becomes(id, "running"));
  expect_refused({"schedule", "run", "yearly"}, 4, "has not ended");
  expect_refused({"schedule", "run", "yaerly"}, 3, "no schedule 'yaerly'");
  EXPECT_THAT(luzia({"schedule", "pause", "yaerly"}).err, HasSubstr("did you mean yearly?"));
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(job(id)["schedule"], "yearly");
  ASSERT_EQ(luzia({"schedule", "pause", "yearly"}).code, 0);
  EXPECT_EQ(luzia({"schedule", "run", "yearly"}).code, 0) << "a person decides, also during a pause";
  EXPECT_EQ(luzia({"schedule", "resume", "yearly"}).code, 0);
  EXPECT_EQ(schedule("yearly")["skipped_missed"], 0);
}

TEST_F(SchedulesTest, APausedQueueHoldsItsJobs) {
  configure(schedule_toml("yearly", "cron = \"@yearly\"\ntask = \"true\""));
  start_daemon();
  ASSERT_TRUE(wait_until([this] { return !schedule("yearly").empty(); }));
  ASSERT_EQ(luzia({"pause", "--project", "demo"}).code, 0);
  const Finished run = luzia({"schedule", "run", "yearly"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string id = lines_of(run.out).at(0);
  EXPECT_EQ(state(id), "queued");
  expect_refused({"schedule", "run", "yearly"}, 4, "has not ended");
  ASSERT_EQ(luzia({"resume", "--project", "demo"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(SchedulesTest, DueTimesWaitOrAreSkippedWhileAJobLives) {
  const std::string task = "task = \"while [ ! -e go ]; do sleep 0.05; done\"\nevery = \"1s\"\n";
  configure(schedule_toml("skips", task) + schedule_toml("waits", task + "overlap = \"queue\"") +
            schedule_toml("cancels", task + "overlap = \"cancel\""));
  start_daemon();
  ASSERT_TRUE(wait_until([this] { return schedule("skips").value("skipped_overlap", 0U) >= 2; }));
  EXPECT_EQ(runs("skips"), 1U);
  ASSERT_TRUE(wait_until([this] { return !schedule("waits").value("waiting_at", Json()).is_null(); }));
  EXPECT_EQ(runs("waits"), 1U);
  ASSERT_TRUE(wait_until([this] { return runs("cancels") >= 2; })) << "the job before was cancelled";
  write_text(project() + "/go", "");
  ASSERT_TRUE(wait_until([this] { return runs("waits") >= 2; }));
  for (const char* name : {"skips", "waits", "cancels"}) expect_each_due_time_once(name);
}

TEST_F(SchedulesTest, ChangesOfTheConfigurationApplyAtOnce) {
  configure(schedule_toml("one", "cron = \"@yearly\"\ntask = \"true\"") +
            schedule_toml("two", "cron = \"@yearly\"\ntask = \"true\""));
  start_daemon();
  ASSERT_TRUE(wait_until([this] { return !schedule("two").empty(); }));
  configure(schedule_toml("one", "cron = \"@monthly\"\ntask = \"true\""));
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  ASSERT_TRUE(wait_until([this] { return schedule("one")["rule"] == "@monthly"; }));
  EXPECT_NE(schedule("two")["dropped_at"], nullptr);
  EXPECT_EQ(luzia_json({"schedule", "list"})["schedules"].size(), 1U);
  expect_refused({"schedule", "run", "two"}, 3, "no schedule 'two'");
}

/// A file of the time zone database: always at UTC.
std::string zone_file_of_utc() {
  std::string file = "TZif" + std::string(40 + 6, '\0');  // a header, and one type
  file[4 + 16 + 4 * 4 + 3] = 1;                           // the number of types
  return file;
}

TEST_F(SchedulesTest, AMissingTimeZoneStopsItsScheduleAlone) {
  configure(schedule_toml("tick", "every = \"1s\"\ntask = \"true\"") +
            schedule_toml("odd", "cron = \"@yearly\"\ntime_zone = \"Mars/Base\"\ntask = \"true\""));
  const Words zones = {"TZDIR=" + path("zones")};
  const Finished started = luzia({"daemon", "start"}, "", zones);
  ASSERT_EQ(started.code, 0) << started.err;
  ASSERT_TRUE(wait_until([this] { return runs("tick") > 0 && !schedule("odd").empty(); }));
  EXPECT_THAT(schedule("odd")["fault"].get<std::string>(), HasSubstr("'Mars/Base' is no time zone"));
  EXPECT_EQ(schedule("odd")["next_at"], nullptr);
  EXPECT_THAT(luzia({"schedule", "list"}).out, HasSubstr("'Mars/Base' is no time zone"));
  const std::string fault = "the rule of schedule odd cannot be read: 'Mars/Base' is no time zone";
  EXPECT_THAT(luzia({"doctor"}, "", zones).out, HasSubstr(fault));
  EXPECT_THAT(luzia({"status"}).err, HasSubstr(fault));
  EXPECT_THAT(luzia({"status", "--project", "demo"}).err, HasSubstr(fault));
  const Finished check = luzia({"config", "check"}, "", zones);
  EXPECT_EQ(check.code, 2);
  EXPECT_THAT(check.err, HasSubstr("schedule 'odd' has a time_zone that cannot be used"));
  std::filesystem::create_directories(path("zones/Mars"));
  write_text(path("zones/Mars/Base"), zone_file_of_utc());
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  ASSERT_TRUE(wait_until([this] { return schedule("odd")["fault"].is_null(); }));
  EXPECT_THAT(luzia({"status"}).err, Not(HasSubstr("schedule odd")));
  EXPECT_THAT(schedule("odd")["next_at"].get<std::string>(), HasSubstr("-01-01T00:00:00"));
  EXPECT_EQ(luzia({"config", "check"}, "", zones).code, 0);
}

TEST_F(SchedulesTest, AJobThatCannotBeIsRefusedAndShown) {
  configure(schedule_toml("lost", "every = \"1s\"\ntask = \"true\"\ndir = \"/no/such/folder\""));
  start_daemon();
  ASSERT_TRUE(wait_until([this] { return schedule("lost").value("refused", 0U) >= 2; }));
  EXPECT_EQ(runs("lost"), 0U);
  EXPECT_THAT(schedule("lost")["note"].get<std::string>(), HasSubstr("/no/such/folder"));
  const Finished doctor = luzia({"doctor"});
  EXPECT_THAT(doctor.out + doctor.err, HasSubstr("schedule lost led to no job"));
}

}  // namespace
}  // namespace luzia
