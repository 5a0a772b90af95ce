// What projects used on the present day, beside their budgets of a day, as people and scripts see it. Any
// thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "projections/rows/table.h"
#include "view.fb.h"

namespace luzia {

/// Whether its budget keeps its jobs from starting.
bool is_stopped(const view::ProjectSpending& row, TimeUs now);

/// project (null: all together) day tokens cost_usd time_seconds tokens_budget cost_budget_usd
/// time_budget_seconds (null: none) stopped until kind lifted.
std::string spending_json(const view::ProjectSpending& row, TimeUs now);

/// Those that have a budget, are stopped, or were let go on; empty where there are none.
Table spending_table(const std::vector<const view::ProjectSpending*>& rows, TimeUs now);

}  // namespace luzia
