// The wall clock is set, or the machine sleeps, while jobs run: the wall clock steps against the monotonic
// clock. No limit expires early or late because of it, nothing is lost, and the log keeps its order.
#include <optional>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class SteppedClockTest : public DaemonTest {
 protected:
  void SetUp() override {
    step_to_seconds(0);
    start();
  }
  void start() {
    daemon_.emplace(Words{kLuziad, "--store", store()},
                    environment({"LD_PRELOAD=" + kShiftedClock, "SHIFTED_CLOCK=" + path("shift")}),
                    path("luziad.out"));
    ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }));
  }
  void step_to_seconds(std::int64_t seconds) const {
    const std::int64_t us = seconds * 1'000'000;
    // Written in place, because the daemon has mapped the file.
    std::FILE* file = std::fopen(path("shift").c_str(), seconds == 0 ? "w" : "r+");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(std::fwrite(&us, sizeof us, 1, file), 1u);
    ASSERT_EQ(std::fclose(file), 0);
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> steps;
    for (const Json& event : events()) {
      if (event["type"] == "ClockStepped")
        steps.push_back(event["data"]["step_us"].get<std::int64_t>() / 1'000'000);
    }
    return steps;
  }

  std::optional<BesideProgram> daemon_;
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
  start();
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
  start();
  EXPECT_EQ(state(waiting), "running") << "ten minutes have not passed";
  EXPECT_EQ(ended(due)["state"], "completed") << "by the wall clock its time is up";
  EXPECT_EQ(state(later), "queued");
  // The second daemon must not count the step again that the first one recorded.
  kill_daemon();
  start();
  kill_daemon();
  step_to_seconds(-kHour);
  start();
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

}  // namespace
}  // namespace luzia
