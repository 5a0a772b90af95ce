// Report view totals. Key: project. In each row, dispatched (imported and tracked jobs too) = queued +
// running + waiting + parked + completed + failed + killed + timed_out + lost + skipped + cancelled. A
// retried job no longer counts as ended.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kTotalsView{18, 7, "totals", ViewKind::statistic};

std::unique_ptr<JobReport> make_totals_report(const ViewReaderSource& rows);

}  // namespace luzia
