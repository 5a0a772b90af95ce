// Pages of answers: more of them than one query gives, their rows as tables of the schema.
#pragma once

#include <functional>
#include <vector>

#include "projections/rows/row_bytes.h"
#include "tools/read/source.h"

namespace luzia {

/// Asks page after page until `limit` rows (0: all) have come or there are no more. Pages of events are all
/// of the log as it was at the first one. The last page's `next` is where to go on. `visit` may fail.
Status visit_pages(Source& source, wire::QueryT query, std::size_t limit,
                   const std::function<Status(const RowPage&)>& visit);

/// All of these pages as one.
Result<RowPage> collect_pages(Source& source, const wire::QueryT& query, std::size_t limit);

/// Adds what a frame brings to a page: one answer may come in several.
void append_rows(RowPage& page, const wire::Rows& rows);

/// The rows of a page; they live as long as it. `bad_row` (trouble) when they are something else.
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
