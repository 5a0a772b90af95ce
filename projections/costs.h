// Report view costs, key: day (UTC, big-endian), project, 0, agent, 0, model, 0. What agents used, on the day
// of the report. All days together are what the rows of the jobs say, token by token.
//
// A report on several models says what each of them used; the report's growth (engine/job/usage_sum.h) is
// divided by what that of each model has grown by. Beside the days, behind 0xff: how much of a model a job
// has used up to now, key: job, 0, model; it tells a job's first use of the model, and stays, because an
// ended job may go on.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kCostsView{23, 2, "costs", ViewKind::statistic, 1};

std::unique_ptr<JobReport> make_costs_report(const ViewReaderSource& rows);

}  // namespace luzia
