// [flows]: how long lists contain ended flows.
#include <gtest/gtest.h>

#include "adapters/config/config.h"

namespace luzia {
namespace {

TEST(FlowConfig, EndedFlowsStayListedForAYearByDefault) {
  constexpr TimeUs kNow = 1'000 * kDayUs;
  EXPECT_EQ(flows_kept_since({}, kNow), 635 * kDayUs);
  const auto set = parse_config("[flows]\nkeep_ended = \"90d\"\n", "luzia.toml");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(flows_kept_since(*set, kNow), 910 * kDayUs);
  const auto back = parse_config(show_config(*set), "luzia.toml");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->flows.keep_ended_ms, set->flows.keep_ended_ms);
  const auto always = parse_config("[flows]\nkeep_ended = \"0s\"\n", "luzia.toml");
  ASSERT_TRUE(always) << always.error().message;
  EXPECT_EQ(flows_kept_since(*always, kNow), 0);
}

}  // namespace
}  // namespace luzia
