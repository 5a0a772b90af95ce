// The readable tables in PostgreSQL: those of projections/rows/export_table.h with the site before and the
// position after, so that they cannot differ from the exports. Written within the transaction of the mirror.
// One thread.
#pragma once

#include <string>

#include "adapters/postgres/postgres.h"
#include "tools/luzia-fleet/changed_rows.h"

namespace luzia {

class FleetSession;

/// SQL that creates the tables, their comments, indexes and rights, or brings those of an older version up to
/// date. Follows schema.sql.
std::string tables_sql();

/// Reads the rows of what was touched. Errors: those of the session; `bad_row`.
Result<ReadRows> read_rows(FleetSession& daemon, const Touched& touched);

/// Writes them, within the caller's transaction or one of its own. A row that has not changed keeps its
/// `position`. The caller has entered the site (site.h), so that two writers of it take turns. Errors: those
/// of Postgres.
Status write_rows(Postgres& database, const std::string& site, const ReadRows& rows);

/// Deletes all rows of the site, whose log is to be forgotten or mirrored anew.
Status delete_rows(Postgres& database, const std::string& site);

/// Replaces all rows of the site by those that the daemon has now, in one transaction and without holding
/// more than a page in memory. Until the mirror has caught up, they may show later events than it has.
Status rebuild_rows(FleetSession& daemon, Postgres& database, const std::string& site);
/// The same. `as_of`: end of durations that are still running.
Status rebuild_rows(const AskRows& ask, Postgres& database, const std::string& site, TimeUs as_of);

}  // namespace luzia
