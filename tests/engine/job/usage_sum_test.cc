// Usage reports come from agents, whose output may contain any number.
#include "engine/job/usage_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace luzia {
namespace {

constexpr std::uint64_t kNearlyAll = (std::uint64_t{1} << 63) - 1;

schema::UsageReportedT forged(schema::UsageScope scope) {
  schema::UsageReportedT fact;
  fact.scope = fact.cost_scope = scope;
  fact.input_tokens = fact.output_tokens = fact.cache_read_tokens = fact.cache_write_tokens = kNearlyAll;
  fact.reasoning_tokens = std::numeric_limits<std::uint64_t>::max();
  fact.cost_usd = 1e300;
  fact.by_model.push_back(std::make_unique<schema::ModelUsageT>());
  fact.by_model.back()->input_tokens = kNearlyAll;
  fact.by_model.back()->cost_usd = 1e300;
  return fact;
}

TEST(UsageSum, ForgedNumbersAreCapped) {
  schema::UsageReportedT fact = forged(schema::UsageScope::turn);
  bound_usage(fact);
  EXPECT_EQ(fact.input_tokens, kMostTokens);
  EXPECT_EQ(fact.reasoning_tokens, kMostTokens);
  EXPECT_EQ(fact.cost_usd, kMostCostUsd);
  EXPECT_EQ(fact.by_model.front()->input_tokens, kMostTokens);
  EXPECT_EQ(fact.by_model.front()->cost_usd, kMostCostUsd);
}

TEST(UsageSum, InvalidCostCountsAsZero) {
  for (const double cost : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    schema::UsageReportedT fact;
    fact.cost_usd = cost;
    bound_usage(fact);
    EXPECT_EQ(fact.cost_usd, 0.0);
  }
  schema::UsageReportedT silent;
  bound_usage(silent);
  EXPECT_FALSE(silent.cost_usd.has_value()) << "no cost was reported";
}

/// SQL adds signed 64-bit numbers and refuses to overflow.
TEST(UsageSum, ManyForgedReportsStillAddUp) {
  for (const auto scope : {schema::UsageScope::turn, schema::UsageScope::session_total}) {
    CountedSessions counted;
    view::TokensT row;
    for (int i = 0; i < 1'000; ++i) add_tokens(row, count_usage(counted, forged(scope), "s").tokens);
    for (const std::uint64_t sum : {row.input, row.output, row.cache_read, row.cache_write}) {
      EXPECT_EQ(sum, kMostTokens);
    }
  }
  constexpr std::uint64_t kRows = 9'000'000;
  static_assert(kMostTokens * kRows < std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace luzia
