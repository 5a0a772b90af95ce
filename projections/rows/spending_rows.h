// Usage of projects on the present day beside their daily budgets, for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "projections/rows/table.h"
#include "view.fb.h"

namespace luzia {

/// Whether its budget keeps its jobs from starting.
bool is_stopped(const view::ProjectSpending& row, TimeUs now);

/// Fields: project (null: all together) day tokens cost_usd time_seconds tokens_budget cost_budget_usd
/// time_budget_seconds (null: none) stopped until kind lifted.
std::string spending_json(const view::ProjectSpending& row, TimeUs now);

/// Rows that have a budget, are stopped, or were lifted; an empty table if there are none.
Table spending_table(const std::vector<const view::ProjectSpending*>& rows, TimeUs now);

}  // namespace luzia
