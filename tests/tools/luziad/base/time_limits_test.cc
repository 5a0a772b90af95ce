#include "tools/luziad/base/time_limits.h"

#include "engine/base/durations.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

template <class Request>
std::string code_of(const Request& request) {
  const Status checked = check_durations(request);
  return checked ? "" : checked.error().code;
}

TEST(TimeLimits, JobLimitsEndWithinTenYears) {
  for (const auto duration : {&wire::DispatchJobT::timeout_ms, &wire::DispatchJobT::budget_time_ms,
                              &wire::DispatchJobT::estimate_ms}) {
    wire::DispatchJobT request;
    EXPECT_EQ(code_of(request), "");
    request.*duration = kLongestDurationMs;
    EXPECT_EQ(code_of(request), "");
    request.*duration = kLongestDurationMs + 1;
    EXPECT_EQ(code_of(request), "bad_timeout");
  }
}

TEST(TimeLimits, OnlyACancelsGraceIsChecked) {
  wire::ActOnJobsT request;
  request.action = wire::JobAction::cancel;
  EXPECT_EQ(code_of(request), "");
  request.grace_ms = kLongestDurationMs + 1;
  EXPECT_EQ(code_of(request), "bad_timeout");
  request.action = wire::JobAction::hold;
  EXPECT_EQ(code_of(request), "");
}

TEST(TimeLimits, StepLimitsAreRefusedByName) {
  wire::NewFlowStepT step;
  step.name = "build";
  EXPECT_EQ(code_of(step), "");
  step.timeout_ms = ~std::uint64_t{0};
  const Status checked = check_durations(step);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, StartsWith("step 'build': "));
}

}  // namespace
}  // namespace luzia
