// Daemons whose clock was never set, or is set to nonsense: what they acknowledge is listed, ends and is
// proved as usual, even after somebody corrects the clock.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

struct Clock {
  const char* name;
  std::int64_t seconds;  // since 1970
};

class FarClockTest : public DaemonTest, public testing::WithParamInterface<Clock> {
 protected:
  void start_at(std::int64_t seconds) {
    shift_clock(seconds == 0 ? 0 : (seconds - static_cast<std::int64_t>(::time(nullptr))) * 1'000'000);
    start_shifted_daemon();
  }
  void stop() {
    shifted_daemon_->signal(SIGTERM);
    EXPECT_EQ(shifted_daemon_->end(), 0) << shifted_daemon_->output();
    shifted_daemon_.reset();
  }
  void expect_listed(const Words& ids) const {
    const Words lists[] = {{"jobs", "--all"}, {"jobs", "--all", "--json"}, {"status"}};
    for (const Words& list : lists) {
      const std::string listed = luzia(list).out, queried = query(list).out;
      for (const std::string& id : ids) {
        EXPECT_THAT(listed, testing::HasSubstr(id)) << list.front();
        EXPECT_THAT(queried, testing::HasSubstr(id)) << list.front();
      }
    }
    for (const std::string& id : ids) EXPECT_FALSE(events_of(id, "JobEnded").empty());
  }
};

TEST_P(FarClockTest, AcknowledgedJobsWorkAsUsual) {
  start_at(GetParam().seconds);
  const std::string first = dispatch("echo done"), second = dispatch("exit 3");
  EXPECT_EQ(ended(first)["state"], "completed");
  EXPECT_EQ(ended(second)["state"], "failed");
  EXPECT_EQ(ended(dispatch("sleep 600", {"--timeout", "1s"}))["state"], "timed_out");
  expect_listed({first, second});
  expect_verified();
  stop();
  expect_listed({first, second});
  stop_daemon();
  // The clock is corrected.
  start_at(0);
  const std::string third = dispatch("true");
  EXPECT_EQ(ended(third)["state"], "completed");
  EXPECT_GT(third, second);
  expect_listed({first, second, third});
  expect_verified();
  stop();
}

INSTANTIATE_TEST_SUITE_P(Each, FarClockTest,
                         testing::Values(Clock{"At1900", -2'208'988'800}, Clock{"At1969", -43'200},
                                         Clock{"At1970", 10}, Clock{"At2059", 2'836'000'000},
                                         Clock{"At2100", 4'102'444'800}, Clock{"At9999", 253'402'200'000}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace luzia
