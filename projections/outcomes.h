// Report view outcomes: how jobs came out on the day of their end: states, reasons, run and wait times,
// usage. Key: day (UTC, big-endian), project, 0, agent, 0, model, 0.
//
// A job counts once, in its present state. A retried job is removed from the day of its end until it ends
// again, so the sum of all days is the number of ended jobs. Rejected: counting every end, which turns a job
// that succeeded at the third attempt into two failures and a success.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kOutcomesView{40, 5, "outcomes", ViewKind::statistic};

/// Counts one more end: its state and, unless it completed, its reason.
void count_end(view::OutcomeDayT& day, schema::JobState state, schema::EndReason reason);

/// Must run after the report that counts the issues of jobs.
std::unique_ptr<JobReport> make_outcomes_report(const ViewReaderSource& rows);

}  // namespace luzia
