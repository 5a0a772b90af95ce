// The answers of several machines to one query as one answer. Any thread; pure.
#pragma once

#include <vector>

#include "projections/rows/attention.h"
#include "projections/rows/machines.h"
#include "projections/rows/row_page.h"

namespace luzia {

struct MachineAnswer {
  std::size_t machine = 0;  // index in RowMachines
  RowPage page;
};

/// `bad_row` (trouble): an answer to this query has other rows, damaged ones, or ids that are none. What it
/// has passed can be merged.
Status check_rows(const wire::QueryT& query, const RowPage& page);

/// The rows in the order in which one machine lists them, the first `limit` (0: all); of an overview as many
/// ended jobs as the query says. A job or flow that two machines claim, and all rows about it, are those of
/// this machine, else of the one that RowMachines::first_seen names; else the rows of all that claim it are
/// shown, each with their names. Records in `machines` whose each is, and who else claims it. Page::next is
/// empty; `position` 0, because each machine has its own.
struct MergedRows {
  RowPage page;
  bool is_cut = false;  // a machine, or this, left out rows
  // Of the pauses and alerts of an overview, which have no id: the machine of each row.
  std::vector<std::size_t> of_pauses = {}, of_alerts = {};
};
MergedRows merged_rows(const wire::QueryT& query, std::size_t limit, std::vector<MachineAnswer> answers,
                       RowMachines& machines);

}  // namespace luzia
