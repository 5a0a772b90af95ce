// The wall clock is set, or the machine sleeps, while jobs run: the wall clock steps against the monotonic
// clock. No limit expires early or late because of it, nothing is lost, and the log keeps its order.
#include <map>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class SteppedClockTest : public DaemonTest {
 protected:
  void SetUp() override {
    step_to_seconds(0);
    start_shifted_daemon();
  }
  void step_to_seconds(std::int64_t seconds) const { shift_clock(seconds * 1'000'000); }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> steps;
    for (const Json& event : events()) {
      if (event["type"] == "ClockStepped")
        steps.push_back(event["data"]["step_us"].get<std::int64_t>() / 1'000'000);
    }
    return steps;
  }
};

TEST_F(SteppedClockTest, TimeLimitsIgnoreClockSteps) {
  constexpr std::int64_t kHour = 3600;
  const std::string waiting =
      dispatch("while [ ! -e go ]; do sleep 0.05; done; echo out", {"--timeout", "10m"});
  ASSERT_TRUE(becomes(waiting, "running"));
  step_to_seconds(kHour);
  EXPECT_EQ(ended(dispatch("echo ahead"))["state"], "completed");
  EXPECT_EQ(state(waiting), "running") << "ten minutes have not passed";
  step_to_seconds(-kHour);
  EXPECT_EQ(ended(dispatch("echo behind"))["state"], "completed");
  EXPECT_EQ(state(waiting), "running");
  // A step back would make a limit that counts by the wall clock alone wait for two hours.
  const std::string limited = dispatch("while :; do sleep 0.05; done", {"--timeout", "2s"});
  ASSERT_TRUE(wait_until([&] { return !events_of(limited, "AttemptStarted").empty(); }));
  step_to_seconds(-3 * kHour);
  EXPECT_EQ(ended(limited)["state"], "timed_out");
  EXPECT_THAT(steps(),
              testing::ElementsAre(testing::AllOf(testing::Ge(kHour - 5), testing::Le(kHour + 5)),
                                   testing::AllOf(testing::Ge(-2 * kHour - 5), testing::Le(5 - 2 * kHour)),
                                   testing::AllOf(testing::Ge(-2 * kHour - 5), testing::Le(5 - 2 * kHour))));
  kill_daemon();
  start_shifted_daemon();
  EXPECT_EQ(state(waiting), "running");
  write_text(project() + "/go", "");
  const Json row = ended(waiting);
  EXPECT_EQ(row["state"], "completed") << row;
  EXPECT_EQ(row["output"]["lines"], 1) << row;
  expect_verified();
}

TEST_F(SteppedClockTest, StepsWithoutADaemonMoveDeadlines) {
  constexpr std::int64_t kHour = 3600;
  const std::string waiting =
      dispatch("while [ ! -e go ]; do sleep 0.05; done; echo out", {"--timeout", "10m"});
  const std::string due = dispatch("echo due", {"--not-before", "2h"});
  const std::string later = dispatch("echo later", {"--not-before", "5h"});
  ASSERT_TRUE(becomes(waiting, "running"));
  kill_daemon();
  step_to_seconds(3 * kHour);
  start_shifted_daemon();
  EXPECT_EQ(state(waiting), "running") << "ten minutes have not passed";
  EXPECT_EQ(ended(due)["state"], "completed") << "by the wall clock its time is up";
  EXPECT_EQ(state(later), "queued");
  // The second daemon must not count the step again that the first one recorded.
  kill_daemon();
  start_shifted_daemon();
  kill_daemon();
  step_to_seconds(-kHour);
  start_shifted_daemon();
  const std::string limited = dispatch("while :; do sleep 0.05; done", {"--timeout", "2s"});
  EXPECT_EQ(ended(limited)["state"], "timed_out");
  EXPECT_EQ(state(waiting), "running");
  EXPECT_EQ(state(later), "queued");
  EXPECT_THAT(steps(),
              testing::ElementsAre(testing::AllOf(testing::Ge(3 * kHour - 5), testing::Le(3 * kHour + 5)),
                                   testing::AllOf(testing::Ge(-4 * kHour - 5), testing::Le(5 - 4 * kHour))));
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(waiting)["state"], "completed");
  expect_verified();
}

class MissedDueTimesTest : public SteppedClockTest {
 protected:
  void SetUp() override {
    std::string toml;
    for (const char* missed : {"once", "skip", "all"}) {
      toml += std::string("[[schedules]]\nname = \"") + missed + "\"\nmissed = \"" + missed +
              "\"\nevery = \"1h\"\nproject = \"demo\"\ntask = \"true\"\n";
    }
    configure(toml);
    SteppedClockTest::SetUp();
    ASSERT_TRUE(wait_until([this] { return schedules().size() == 3; }));
  }
  std::map<std::string, Json> schedules() const {
    std::map<std::string, Json> rows;
    const Json listed = luzia_json({"schedule", "list"});
    for (const Json& row : listed["schedules"]) rows[row["name"]] = row;
    return rows;
  }
  /// Waits until `all` has caught up with this many due times, then checks the three policies.
  void expect_missed(std::uint64_t all, std::uint64_t once, std::uint64_t skipped) {
    EXPECT_TRUE(wait_until([&] { return schedules()["all"]["completed"] == all; })) << schedules()["all"];
    auto rows = schedules();
    EXPECT_EQ(rows["once"]["runs"], once) << rows["once"];
    EXPECT_EQ(rows["once"]["skipped_missed"], all - once) << rows["once"];
    EXPECT_EQ(rows["skip"]["runs"], 0) << rows["skip"];
    EXPECT_EQ(rows["skip"]["skipped_missed"], skipped) << rows["skip"];
  }
};

TEST_F(MissedDueTimesTest, ThoseWithoutADaemonFollowThePolicy) {
  constexpr std::int64_t kHour = 3600;
  kill_daemon();
  step_to_seconds(3 * kHour + kHour / 2);
  start_shifted_daemon();
  expect_missed(3, 1, 3);
  kill_daemon();
  start_shifted_daemon();
  expect_missed(3, 1, 3);
}

TEST_F(MissedDueTimesTest, AStepOfTheClockIsNoticedAndAStepBackRepeatsNothing) {
  constexpr std::int64_t kHour = 3600;
  step_to_seconds(2 * kHour + kHour / 2);
  EXPECT_EQ(ended(dispatch("echo awake"))["state"], "completed");
  expect_missed(2, 1, 2);
  step_to_seconds(1);
  EXPECT_EQ(ended(dispatch("echo back"))["state"], "completed");
  step_to_seconds(2 * kHour + kHour / 2);
  EXPECT_EQ(ended(dispatch("echo again"))["state"], "completed");
  expect_missed(2, 1, 2);
}

}  // namespace
}  // namespace luzia
