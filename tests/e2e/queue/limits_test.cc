// Limits and gates of the queue, with a real daemon.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using LimitsTest = DaemonTest;
using testing::ContainsRegex;

constexpr const char* kUntilGo = "while [ ! -e go ]; do sleep 0.05; done";

TEST_F(LimitsTest, ProjectLimitLeavesSlotsForOthers) {
  configure("[queue]\nmax_running = 8\nmax_per_project = 1\n");
  const std::string first = dispatch(kUntilGo);
  const std::string second = dispatch("true");
  const Finished other = luzia({"dispatch", "other", "true"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(ended(lines_of(other.out).at(0))["state"], "completed");
  EXPECT_EQ(state(second), "queued");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(second)["state"], "completed");
  EXPECT_EQ(ended(first)["state"], "completed");
}

TEST_F(LimitsTest, TagLimitSurvivesARestart) {
  configure("[queue]\nmax_running = 8\ntags = { gpu = 1 }\n");
  const std::string first = dispatch_until("running", kUntilGo, {"--tag", "gpu"});
  const std::string second = dispatch("true", {"--tag", "gpu"});
  kill_and_start_daemon();
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  EXPECT_EQ(state(second), "queued");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(second)["state"], "completed");
}

TEST_F(LimitsTest, ClosedQueueStartsNothingUntilReconfigured) {
  configure("[queue]\nmin_free_memory_percent = 100\n");
  const std::string id = dispatch("true");
  ASSERT_TRUE(wait_until(
      [&] { return read_text(store() + "/luziad.log").find("nothing new starts") != std::string::npos; }));
  EXPECT_EQ(state(id), "queued");
  configure("[queue]\nmin_free_memory_percent = 0\n");
  EXPECT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(LimitsTest, WhyNamesWhatAQueuedJobWaitsFor) {
  configure("[queue]\nmax_running = 1\n");
  const std::string first = dispatch(kUntilGo, {"--estimate", "10m"});
  const std::string second = dispatch("true", {"--estimate", "5m"});
  const std::string third = dispatch("true", {"--tag", "last"});
  const Json waiting = job(third).at("waiting");
  EXPECT_EQ(waiting["for"], "turn");
  EXPECT_EQ(waiting["queue_position"], 2);
  EXPECT_EQ(waiting["first_ahead"], Json::array({second}));
  EXPECT_GT(waiting["estimated_wait_seconds"].get<double>(), 300);
  EXPECT_LE(waiting["estimated_wait_seconds"].get<double>(), 900);
  const Finished why = luzia({"why", third});
  EXPECT_THAT(why.out,
              testing::HasSubstr("waits for its turn: 1 of 1 slots are taken; 1 comes first: " + second));
  EXPECT_FALSE(job(first).contains("waiting")) << "it runs";
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(third)["state"], "completed");
  EXPECT_THAT(luzia({"why", third}).out, testing::Not(testing::HasSubstr("waits")));
}

TEST_F(LimitsTest, QuietStatusCountsJobsNeedingAPerson) {
  ended(dispatch("exit 3"));
  const Finished quiet = luzia({"status", "-q"});
  EXPECT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_EQ(quiet.out, "0\n");
}

TEST_F(LimitsTest, ScheduledJobCanBeReleasedEarly) {
  const std::string id = dispatch("true", {"--not-before", "2h"});
  EXPECT_EQ(job(id).at("waiting")["for"], "time");
  EXPECT_FALSE(job(id)["not_before"].is_null());
  const Finished moved = luzia({"edit", id, "--not-before", "now"});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(luzia({"edit", id, "--not-before", "1h"}).code, 4);
  EXPECT_EQ(luzia({"edit", id, "--not-before", "yesterday"}).code, 2);
}

TEST_F(LimitsTest, BreakerProtectsTheQueueFromABrokenSetup) {
  configure("[queue]\nmax_running = 1\n[retry]\nbreaker_failures = 2\n[agents.shell]\nbreaker = true\n");
  EXPECT_EQ(ended(dispatch("exit 1"))["state"], "failed");
  EXPECT_EQ(ended(dispatch("exit 1"))["state"], "failed");
  const std::string id = dispatch("true");
  EXPECT_EQ(job(id).at("waiting")["for"], "breaker");
  kill_and_start_daemon();
  EXPECT_EQ(job(id).at("waiting")["for"], "breaker");
  EXPECT_THAT(luzia({"status"}).out, testing::StartsWith("project demo stopped (2 quick failures in a row"));
  EXPECT_TRUE(luzia_json({"status"})["paused"][0]["since"].is_null());
  const std::string remedy = "luzia resume --project demo";
  const auto names_remedy =
      testing::AllOf(HasSubstr(remedy), ContainsRegex("[0-9][0-9]:[0-9][0-9] [A-Z0-9+-]+, in "));
  EXPECT_THAT(luzia({"status"}).out, names_remedy);
  EXPECT_THAT(luzia({"why", id}).out, names_remedy);
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr(remedy));
  EXPECT_EQ(luzia({"resume", "--project", "demo"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(LimitsTest, ShellFailuresStopNoProjectByDefault) {
  configure("[queue]\nmax_running = 4\n");
  std::vector<std::string> jobs;
  for (int i = 0; i < 12; ++i) jobs.push_back(dispatch("exit 1"));
  for (const std::string& id : jobs) EXPECT_EQ(ended(id)["state"], "failed");
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  EXPECT_THAT(luzia({"status"}).out, testing::Not(HasSubstr("quick failures")));
}

}  // namespace
}  // namespace luzia
