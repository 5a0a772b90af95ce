// Reads all pages of an answer, and converts their rows to types of the schema.
#pragma once

#include <functional>
#include <vector>

#include "projections/rows/row_bytes.h"
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

/// The rows of a page, which must outlive them. `bad_row` (trouble): a row is damaged or of another type.
Result<std::vector<const schema::Event*>> events_of(const RowPage& page);

[[nodiscard]] tl::unexpected<Error> bad_row();

template <class Row>
Result<std::vector<const Row*>> rows_of(const RowPage& page) {
  std::vector<const Row*> rows;
  rows.reserve(page.rows.size());
  for (const std::string& bytes : page.rows) {
    const Row* row = verified_row<Row>(as_bytes(bytes));
    if (row == nullptr) return bad_row();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace luzia
