// Solutions, facts and todos for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// Fields: id project problem text references tags confidence stated_confidence helped failed created_at
/// last_at expires_at by score position.
std::string solution_json(const view::Solution& solution);
Table solutions_table(const std::vector<const view::Solution*>& rows, TimeUs now);
/// One solution in full, including its text.
std::string solution_card(const view::Solution& solution, TimeUs now, const TableStyle& style);

/// Fields: subject relation object context project stored_at by position.
std::string fact_json(const view::Fact& fact);
Table facts_table(const std::vector<const view::Fact*>& rows);

/// Fields: id project text status by job added_by added_at taken_at done_at note position. `status`: pending,
/// in_progress or completed.
std::string todo_json(const view::Todo& todo);
Table todos_table(const std::vector<const view::Todo*>& rows, TimeUs now);

/// The event as a sentence.
std::string learning_text(const schema::LearningEvent& event);

}  // namespace luzia
