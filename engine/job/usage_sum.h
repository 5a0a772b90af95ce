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

/// `sum` and `more`, at most the greatest number there is: reports are an agent's word.
std::uint64_t add_bounded(std::uint64_t sum, std::uint64_t more);
void add_tokens(view::TokensT& sum, const view::TokensT& more);

/// A cost as it is reported; 0 for what is no amount of money.
double cost_of(const flatbuffers::Optional<double>& reported);

}  // namespace luzia
