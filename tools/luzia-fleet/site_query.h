// The SQL of a query of rows. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/postgres/postgres.h"
#include "projections/rows/row_page.h"

namespace luzia {

/// What is read of one site at most: a frame that has more, or more tables, is refused by whoever gets it.
inline constexpr std::size_t kMostBytesOfSite = 15 << 20, kBytesBesideRow = 64;

/// Selects the site and `column` of the sites that $1, an array, names: of each the first `limit` rows (0:
/// all) in the order of the view. `table` empty: no table has such rows, and none are there.
struct SiteQuery {
  wire::RowType type = wire::RowType::job;
  std::string table;
  std::string sql;
  std::vector<PostgresValue> values;  // $2 and following
};

/// `not_in_fleet` (usage): the tables do not have this.
Result<SiteQuery> site_query(const wire::QueryT& query, std::size_t limit,
                             const std::string& column = "view_row");

}  // namespace luzia
