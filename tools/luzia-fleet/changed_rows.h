// Reads from the daemon the rows of the readable tables that events have changed, or all of them page by
// page. Each row is read as it stands, so it may already show later events than those: `position` says up to
// which. One thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "projections/rows/export_table.h"
#include "projections/rows/row_page.h"
#include "tools/luzia-fleet/touched.h"

namespace luzia {

/// Asks the daemon for one page of rows.
using AskRows = std::function<Result<RowPage>(wire::QueryT query)>;

/// A row whose values are storable (stored_values.h), and the position of the log as of which it was read.
struct FleetRow {
  ExportRow values;
  Position position = 0;
  std::string bytes = {};  // as lists of the daemon have it; empty unless keeps_bytes()
};

/// Whether the table also has the whole row of the view: the first one of each view has.
bool keeps_bytes(const ExportTable& table);

/// What replaces the rows of one table.
struct TableRows {
  bool whole = false;                    // all rows of the site go that are not in `rows`
  std::set<std::string> owners;          // else those of these owners (owner_of)
  std::map<std::string, FleetRow> rows;  // by key_of
};

struct ReadRows {
  Position position = 0;                         // the largest as of which rows were read
  std::map<std::string_view, TableRows> tables;  // by the name of the export table
};

/// Rows of what was touched. `as_of`: end of durations that are still running. Errors: those of `ask`;
/// `bad_row`.
Result<ReadRows> changed_rows(const AskRows& ask, const Touched& touched, TimeUs as_of);

/// Visits all rows, one page at a time. The daemon goes on meanwhile: a row that changes between two pages
/// may come twice.
Status visit_all_rows(const AskRows& ask, TimeUs as_of, const std::function<Status(const ReadRows&)>& visit);

/// The time of the newest event; 0: there is none.
Result<TimeUs> newest_time(const AskRows& ask);

}  // namespace luzia
