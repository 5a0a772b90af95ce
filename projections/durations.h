// Report view durations. Key: measure, 0x00, project, 0x00, agent. Measures:
// - `run`: time of each attempt without its waits for people (measured_run in jobs.h)
// - `queue_wait`: from dispatch to the first start
// - `human_wait`: each time that a job waited for people
//
// Buckets: projections/rows/buckets.h.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kDurationsView{19, 5, "durations", ViewKind::statistic};

/// nullopt: nothing has been measured yet.
std::optional<view::DurationsT> find_durations(const ViewReader& rows, std::string_view measure,
                                               std::string_view project, std::string_view agent);

std::unique_ptr<JobReport> make_durations_report(const ViewReaderSource& rows);

}  // namespace luzia
