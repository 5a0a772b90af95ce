// Totals and durations together, for `stats`: as JSON, as CSV and for people. Any thread.
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

/// The one rule of success: the share (0..1) of completed jobs among those that completed, failed, timed out
/// or were lost. Killed, skipped and cancelled ones (among these what is no longer watched) do not count. A
/// tracked process that is gone was lost: nobody saw how it ended. nullopt: no job counts.
std::optional<double> success_rate(std::uint64_t completed, std::uint64_t failed, std::uint64_t timed_out,
                                   std::uint64_t lost);
std::optional<double> success_rate(const view::ProjectTotals& totals);

/// {"projects":[totals and success_rate],"durations":[...],"position":N,"next":null}
std::string stats_json(const Stats& stats);

/// One number per line: project, agent, measure, value. Agents of a project have only durations.
Table stats_data(const Stats& stats);

/// A table of the projects and one of the durations.
std::string stats_text(const Stats& stats, const TableStyle& style);

}  // namespace luzia
