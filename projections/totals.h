// Report view totals, key: project. For every project: dispatched = queued + running + waiting + parked +
// completed + failed + killed + timed_out + lost (a retry takes its job out of the ended ones again).
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kTotalsView{18, 5, "totals", ViewKind::statistic};

std::unique_ptr<JobReport> make_totals_report(const ViewReaderSource& rows);

}  // namespace luzia
