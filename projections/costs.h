// Report view costs: what agents used, on the day of the report. Key: day (UTC, big-endian), project, 0,
// agent, 0, model, 0. The sum of all days equals the sum of the jobs' rows, token by token.
//
// A report on several models says what each of them used. The growth of the report (engine/job/usage_sum.h)
// is divided in proportion to the growth of each model.
//
// Further rows begin with 0xff: how much of a model a job has used so far. Key: job, 0, model. They show when
// a job first uses a model, and stay because an ended job may continue.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kCostsView{23, 2, "costs", ViewKind::statistic, 1};

std::unique_ptr<JobReport> make_costs_report(const ViewReaderSource& rows);

}  // namespace luzia
