// What a job has used so far, summed over reports that count in different ways: some are of one turn, some
// are totals of the attempt, some of the agent's whole session, which attempts that resume it continue. One
// rule for the decider's state and for the rows, so that both say the same. Pure.
//
// Kept is how much of each session is counted already, and of the attempt (under the empty session id): a
// total adds only what it has grown by.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "event.fb.h"
#include "view.fb.h"

namespace luzia {

using CountedSessions = std::vector<std::unique_ptr<view::SessionUsageT>>;

/// What a report adds to the sums of its job.
struct UsageGrowth {
  view::TokensT tokens;
  double cost_usd = 0;
};

/// Counts the report and notes it in `counted`. `session`: the job's session where the report names none. A
/// total that is smaller than what is counted already adds nothing.
UsageGrowth count_usage(CountedSessions& counted, const schema::UsageReportedT& fact,
                        std::string_view session);

/// Another attempt begins: its totals begin at none, the session's go on.
void begin_attempt_usage(CountedSessions& counted);

/// Reports are an agent's word, and an output may hold any number: no figure of a report, and no sum of
/// tokens in a row, is greater. A thousand times what a large company uses a day; nine million such sums fit
/// into the 64 bits of SQL.
constexpr std::uint64_t kMostTokens = 1'000'000'000'000;
constexpr double kMostCostUsd = 1e6;

std::uint64_t tokens_of(std::uint64_t reported);
/// A cost as it is reported; 0 for what is no amount of money.
double cost_of(const flatbuffers::Optional<double>& reported);
/// The report with every figure within these bounds.
void bound_usage(schema::UsageReportedT& fact);

/// `sum` and `more`, at most the greatest number there is.
std::uint64_t add_bounded(std::uint64_t sum, std::uint64_t more);
void add_tokens(view::TokensT& sum, const view::TokensT& more);

}  // namespace luzia
