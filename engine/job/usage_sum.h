// Sums what a job has used. Reports count in three ways: one turn, the attempt so far, or the agent's whole
// session, which resumed attempts continue. The decider and the rows share this rule, so both show the same
// sums. Pure.
//
// Keeps how much was already counted for each session, and for the attempt under the empty session id. A
// total adds only its growth.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "event.fb.h"
#include "view.fb.h"

namespace luzia {

using CountedSessions = std::vector<std::unique_ptr<view::SessionUsageT>>;

/// What a report adds to the job's sums.
struct UsageGrowth {
  view::TokensT tokens;
  double cost_usd = 0;
};

/// Counts the report and updates `counted`. `session`: the job's session, used if the report names none. A
/// total below what was already counted adds nothing.
UsageGrowth count_usage(CountedSessions& counted, const schema::UsageReportedT& fact,
                        std::string_view session);

/// Whether everything in the report was counted before.
bool is_counted(const CountedSessions& counted, const schema::UsageReportedT& fact, std::string_view session);

/// Another attempt begins: attempt totals start at zero, session totals continue.
void begin_attempt_usage(CountedSessions& counted);

/// Upper bounds of every reported figure and of a row's sum of tokens, because an agent or its output may
/// claim any number. A thousand times what a large company uses a day; nine million such sums fit the 64-bit
/// integers of SQL.
constexpr std::uint64_t kMostTokens = 1'000'000'000'000;
constexpr double kMostCostUsd = 1e6;

std::uint64_t tokens_of(std::uint64_t reported);
/// A reported cost within bounds; 0 if it is not a valid amount.
double cost_of(const flatbuffers::Optional<double>& reported);
/// Limits every figure of the report to these bounds.
void bound_usage(schema::UsageReportedT& fact);

/// `sum` plus `more`, saturating at the largest value.
std::uint64_t add_bounded(std::uint64_t sum, std::uint64_t more);
void add_tokens(view::TokensT& sum, const view::TokensT& more);

}  // namespace luzia
