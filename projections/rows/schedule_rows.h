// Schedules for people and scripts. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// "dispatched", "waits", "skipped_overlap", ...; "unknown": of a newer program.
std::string_view due_outcome_name(schema::DueOutcome outcome);

/// Fields: name project rule time_zone set_at next_at next_us last_at last_due_at last_outcome last_job
/// last_state agent waiting_at note runs skipped_overlap skipped_missed refused completed failed cost_usd
/// tokens paused_at paused_by pause_note dropped_at position. `last_state` and `agent` are of the last job.
std::string schedule_json(const view::Schedule& schedule);
Table schedules_table(const std::vector<const view::Schedule*>& schedules, TimeUs now, Form form);

/// The event of a schedule as a sentence.
std::string schedule_text(const schema::Event& event);

}  // namespace luzia
