// Core view schedules: recurring work of the configuration, by name, also what it no longer has. Each row is
// the fold of its stream by luzia::evolve. Report view schedule_results: how their jobs came out, by name; a
// job counts in its present state, as in outcomes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/schedule/schedule.h"
#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kSchedulesView{42, 1, "schedules", ViewKind::core};
constexpr ProjectionInfo kScheduleResultsView{43, 1, "schedule_results", ViewKind::report};

std::unique_ptr<Projection> make_schedules_projection(ViewReaderSource rows);
std::unique_ptr<JobReport> make_schedule_results_report(const ViewReaderSource& rows);

/// Any thread, like all functions below.
void visit_schedules(const ViewReader& rows, const std::function<void(Schedule)>& visit);
/// nullopt: it never existed.
std::optional<Schedule> find_schedule(const ViewReader& rows, std::string_view name);
/// Sets `results`.
void join_results(Schedule& schedule, const ViewReader& rows);
/// Sets `agent` and `last_state`, if there is a last job whose project the caller may see.
void join_last_job(Schedule& schedule, const ViewReader& rows,
                   const std::function<bool(std::string_view project)>& may_see);

}  // namespace luzia
