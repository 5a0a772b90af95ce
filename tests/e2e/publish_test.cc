// Reports about a job by agents and scripts, from many processes at once, while the daemon is killed.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using PublishTest = DaemonTest;

constexpr int kProcesses = 64, kEach = 6;

/// Each process publishes 1, 2, 3 ... under its own name.
std::string all_publish() {
  return "for p in $(seq " + std::to_string(kProcesses) + "); do (for i in $(seq " + std::to_string(kEach) +
         "); do " + kLuzia +
         " publish progress --progress-percent $i --current-step-name p$p || touch refused; done) & done; "
         "wait";
}

class Told {
 public:
  explicit Told(const std::vector<Json>& events) {
    for (const Json& event : events) {
      const Json& data = event["data"];
      by_name_[data["current_step_name"].get<std::string>()].push_back(data["progress_percent"].get<int>());
    }
  }
  void expect_all_in_order() const {
    EXPECT_EQ(by_name_.size(), static_cast<std::size_t>(kProcesses));
    std::vector<int> in_order;
    for (int i = 1; i <= kEach; ++i) in_order.push_back(i);
    for (const auto& [name, told] : by_name_) EXPECT_EQ(told, in_order) << name;
  }

 private:
  std::map<std::string, std::vector<int>> by_name_;
};

TEST_F(PublishTest, ManyProcessesLoseNoReports) {
  const std::string id = dispatch(all_publish());
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_NE(::access((project() + "/refused").c_str(), F_OK), 0) << luzia({"logs", "--raw", id}).out;
  Told(events_of(id, "ProgressReported")).expect_all_in_order();
  expect_verified();
}

TEST_F(PublishTest, ReportToAKilledDaemonIsRecordedOnce) {
  const std::string id = dispatch(all_publish());
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t before = position();
    ASSERT_TRUE(wait_until([&] { return position() > before + 20 || state(id) == "completed"; }));
    kill_and_start_daemon();
  }
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_NE(::access((project() + "/refused").c_str(), F_OK), 0) << luzia({"logs", "--raw", id}).out;
  Told(events_of(id, "ProgressReported")).expect_all_in_order();
}

TEST_F(PublishTest, EndlessReportsAreRefusedAfterAWhile) {
  const std::string endless = std::string("while ") + kLuzia +
                              " publish progress --progress-percent 1 2>refusal; do :; done; cat refusal";
  const std::string id = dispatch(endless), other = dispatch("sleep 600");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(luzia({"logs", id}).out, testing::HasSubstr("has published 1000 reports too quickly"));
  EXPECT_GE(events_of(id, "ProgressReported").size(), 1'000u);
  EXPECT_EQ(luzia({"publish", "progress", other, "--progress-percent", "1"}).code, 0)
      << "others are not held up";
}

TEST_F(PublishTest, UnknownJobHintsAtTasks) {
  start_daemon();
  const Finished refused = luzia({"publish", "progress", "T-17", "--progress-percent", "4"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, testing::HasSubstr("no job 'T-17'"));
  EXPECT_THAT(refused.err, testing::HasSubstr("--task-id T-17"));
}

TEST_F(PublishTest, JobShowsEveryField) {
  const std::string id = dispatch_until("running", "sleep 600");
  const auto publish = [&](const std::string& kind, const Words& more) {
    Words words = {"publish", kind, id};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = luzia(words);
    EXPECT_EQ(done.code, 0) << kind << ": " << done.err;
  };
  publish("task_started",
          {"--task-id", "t-7", "--description", "tidy up", "--estimated-duration-seconds", "90"});
  publish("task_queued", {"--reason", "no slot", "--queue-position", "3", "--queue-ahead", "t-5,t-6",
                          "--estimated-wait-seconds", "30"});
  publish("progress",
          {"--progress-percent", "40", "--elapsed-seconds", "60", "--estimated-remaining-seconds", "45"});
  EXPECT_EQ(job(id)["reported"]["elapsed_seconds"], 60);
  EXPECT_EQ(job(id)["reported"]["estimated_remaining_seconds"], 45);
  EXPECT_THAT(luzia({"job", id}).out, testing::HasSubstr("about 45s"));
  publish("warning", {"--warning-type", "DURATION_EXCEEDED", "--message", "slow", "--recommendation", "wait",
                      "--current-step", "3", "--total-steps", "5", "--current-step-name", "Link",
                      "--progress-percent", "45", "--elapsed-seconds", "70"});
  EXPECT_EQ(job(id)["reported"]["elapsed_seconds"], 70);
  EXPECT_EQ(job(id)["reported"]["recommendation"], "wait");
  EXPECT_EQ(job(id)["progress"],
            Json({{"percent", 45}, {"current_step", 3}, {"total_steps", 5}, {"step_name", "Link"}}));
  publish("task_failed",
          {"--error", "no network", "--retriable", "--retry-count", "2", "--elapsed-seconds", "80"});
  publish("system_alert", {"--alert-type", "RESOURCE_WARNING", "--message", "hot", "--severity", "critical",
                           "--recommendation", "cool it"});
  publish("task_completed", {"--findings-count", "4", "--recommendations-count", "5"});
  const std::string shown = luzia({"job", id}).out;
  for (const char* words :
       {"tidy up", "t-7", "no slot", "position 3 after t-5, t-6", "RESOURCE_WARNING", "hot (critical)",
        "cool it", "may be retried, 2 retries so far", "4 findings, 5 recommendations"}) {
    EXPECT_THAT(shown, testing::HasSubstr(words));
  }
  const Json reported = job(id)["reported"];
  EXPECT_EQ(reported["estimated_duration_seconds"], 90);
  EXPECT_EQ(reported["elapsed_seconds"], 80);
  EXPECT_EQ(reported["queue_ahead"], Json({"t-5", "t-6"}));
  EXPECT_EQ(reported["estimated_wait_seconds"], 30);
  EXPECT_EQ(reported["alert"], "hot");
  EXPECT_EQ(reported["alert_severity"], "critical");
  const std::string told = luzia({"events", "--job", id}).out;
  for (const char* words :
       {"says it started, for about 1m30s", "says it is queued at position 3, for about 30s",
        "about 45s left", "alert RESOURCE_WARNING: hot; cool it"}) {
    EXPECT_THAT(told, testing::HasSubstr(words));
  }
}

}  // namespace
}  // namespace luzia
