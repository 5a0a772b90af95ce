// How flow steps went, by project and name of the step, for people and scripts. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "projections/rows/row_tables.h"

namespace luzia {

/// Number of flows by state.
struct FlowCounts {
  std::uint64_t active = 0, completed = 0, failed = 0, cancelled = 0;

  void add(view::FlowState state);
  std::uint64_t total() const { return active + completed + failed + cancelled; }
};

/// Share (0..1) of completions among the ends of a step; skipped ones do not count. Negative: it has not
/// ended yet.
double completion_rate(const view::StepStatistic& row);

/// {"flows":{total active completed failed cancelled},"steps":[{project step started completed failed skipped
/// completion_rate timed mean_ms p50_ms p95_ms next[{step count}] last_at}],"position","next"}
std::string step_statistics_json(const FlowCounts& flows, const std::vector<const view::StepStatistic*>& rows,
                                 Position position);
Table step_statistics_table(const std::vector<const view::StepStatistic*>& rows);

}  // namespace luzia
