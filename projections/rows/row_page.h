// Pages of rows: the answers to queries (projections/query.h). Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/event/event.h"
#include "projections/rows/row_bytes.h"
#include "protocol.fb.h"

namespace luzia {

/// One page. Each row is a finished FlatBuffer of the type that `type` names (view::Job, schema::Event, ...),
/// as in wire::Rows. `next`: cursor of the following page; empty: the end. `position`: of the state in the
/// log.
struct RowPage {
  wire::RowType type = wire::RowType::job;
  std::vector<std::string> rows;
  std::string next;
  Position position = 0;
  std::vector<RowPage> parts = {};  // of an overview
};

/// The most rows of a page.
constexpr std::uint32_t kMaxLimit = 1000;

[[nodiscard]] tl::unexpected<Error> bad_row();

/// As it is sent.
wire::RowsT rows_reply(const RowPage& page);

/// The rows of a page, which must outlive them. `bad_row` (trouble): a row is damaged or of another type.
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
