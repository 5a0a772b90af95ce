// Reads all pages of an answer, and converts their rows to types of the schema.
#pragma once

#include <functional>
#include <vector>

#include "projections/rows/row_page.h"
#include "tools/read/source.h"

namespace luzia {

/// Queries page after page until `limit` rows (0: all) have arrived or there are no more. Pages of events all
/// show the log as of the first page. The last page's `next` is the cursor to continue from. An error of
/// `visit` ends the visit.
Status visit_pages(Source& source, wire::QueryT query, std::size_t limit,
                   const std::function<Status(const RowPage&)>& visit);

/// As visit_pages(), with all rows in one page.
Result<RowPage> collect_pages(Source& source, const wire::QueryT& query, std::size_t limit);

/// Adds the rows of a frame to a page. One answer may come in several frames.
void append_rows(RowPage& page, const wire::Rows& rows);

/// The events of a page, which must outlive them.
Result<std::vector<const schema::Event*>> events_of(const RowPage& page);

}  // namespace luzia
