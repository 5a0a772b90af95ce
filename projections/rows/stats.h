// Totals and durations side by side: what `stats` shows, as JSON, CSV and for people. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "projections/rows/table.h"
#include "view.fb.h"

namespace luzia {

struct Stats {
  std::vector<const view::ProjectTotals*> projects;
  std::vector<const view::Durations*> durations;
  Position position = 0;
};

/// Completed jobs among those that came to an end by themselves: 0..1. A job that was killed was cancelled,
/// and one that was skipped or cancelled never ran: neither says anything about success. Nothing while no job
/// has ended so.
std::optional<double> success_rate(const view::ProjectTotals& totals);

/// {"projects":[totals and success_rate],"durations":[...],"position":N,"next":null}
std::string stats_json(const Stats& stats);

/// One number a line: project, agent, measure, value. For agents of a project only durations are known.
Table stats_data(const Stats& stats);

/// A table of the projects and one of the durations.
std::string stats_text(const Stats& stats, const TableStyle& style);

}  // namespace luzia
