// What status, top and a digest show: jobs, and what stands beside them, of one position of the log. Any
// thread.
#pragma once

#include <vector>

#include "projections/rows/attention.h"
#include "projections/rows/row_page.h"

namespace luzia {

struct Overview {
  /// The rows that everything below points to. Moving an overview leaves them where they are.
  RowPage page = {};
  /// Of those that are queued possibly only the first, of those that have ended the last.
  std::vector<const view::Job*> jobs = {};
  /// How many jobs there are. Empty when all are named, and when nobody can tell.
  std::vector<const view::ProjectTotals*> totals = {};
  /// The sums are being rebuilt by a new version, so `totals` is empty.
  bool totals_missing = false;
  StatusNotes notes = {};

  Overview() = default;
  Overview(Overview&&) = default;
  Overview& operator=(Overview&&) = default;
};

/// Takes an answer to `query`, of view overview. `bad_row` (trouble).
Result<Overview> overview_of(RowPage page, const wire::QueryT& query);

}  // namespace luzia
