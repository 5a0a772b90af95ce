// What status and top show: jobs, and what stands beside them, of one position of the log. One thread.
#pragma once

#include <vector>

#include "projections/rows/attention.h"
#include "tools/read/source.h"

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

/// What to do when the answer is an error: a daemon that was not restarted after an upgrade knows no
/// overview.
Error overview_error(Error error);

/// Asks for it, and for the pages that follow where a part is longer than one.
Result<Overview> ask_overview(Source& source, const wire::QueryT& query);

}  // namespace luzia
