// Report view outcomes, key: day (UTC, big-endian), project, 0, agent, 0, model, 0. How jobs came out on the
// day of their end: states, reasons, how long they ran and waited, what they used.
//
// A job counts once, as it stands: one that is retried is taken back from the day of its end until it ends
// again. So all days together are the jobs that have ended. (Rejected: counting every end, which makes of a
// job that succeeded at its third attempt two failures and a success.)
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kOutcomesView{40, 5, "outcomes", ViewKind::statistic};

/// Comes after the report that counts the issues of jobs.
std::unique_ptr<JobReport> make_outcomes_report(const ViewReaderSource& rows);

}  // namespace luzia
