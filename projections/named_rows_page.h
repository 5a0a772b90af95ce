// A page of a view with few rows, in the order of their keys.
#pragma once

#include <functional>
#include <string>

#include "engine/base/hash.h"
#include "engine/view/projection.h"
#include "projections/query_pages.h"

namespace luzia {

/// Returns rows of a view whose key is a name, sorted by key. The cursor is the last key in hexadecimal.
/// `end`: the first key after these rows, if the view has other rows too; `begin`: their first one.
template <class Row>
Result<RowPage> named_rows_page(const QueryRun& run, const ProjectionInfo& info, wire::RowType type,
                                const std::function<bool(const Row&)>& takes, std::string_view end = {},
                                std::string_view begin = {}) {
  const auto after = LUZIA_TRY(cursor_key(run.query.cursor));
  std::string from = row_key(info, after.empty() ? begin : after);
  if (!after.empty()) from.push_back('\0');
  RowPage page{type, {}, {}, run.at};
  const std::size_t limit = page_limit(run.query, kMaxLimit);
  std::string last;
  const std::string to = end.empty() ? row_end(info) : row_key(info, end);
  run.rows.scan(from, to, [&](std::string_view key, std::string_view value) {
    const StoredRow<Row> row(value);
    if (!takes(*row)) return true;
    if (page.rows.size() == limit) {
      page.next = to_hex(as_bytes(last));
      return false;
    }
    last = key.substr(2);
    page.rows.push_back(row.bytes());
    return true;
  });
  return page;
}

}  // namespace luzia
