#include "tools/read/overview.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "projections/rows/overview_parts.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

/// The parts that may be longer than a page.
std::optional<wire::View> view_of_part(wire::RowType type) {
  using enum wire::RowType;
  if (type == question) return wire::View::questions;
  if (type == approval) return wire::View::approvals;
  if (type == flow) return wire::View::flows;
  return std::nullopt;
}

}  // namespace

Error overview_error(Error error) {
  if (error.code != "unknown_view") return error;
  return {ErrorKind::trouble, "older_daemon", "the running daemon is of an older version than this program",
          "luzia daemon restart starts the installed version; running jobs are not touched"};
}

Result<RowPage> ask_overview_rows(Source& source, const wire::QueryT& query) {
  auto answer = source.query(query);
  if (!answer) return tl::unexpected(overview_error(answer.error()));
  RowPage page = std::move(*answer);
  for (RowPage& part : page.parts) {
    const auto view = view_of_part(part.type);
    if (part.next.empty() || !view) continue;
    wire::QueryT rest = query_of_part(query, *view);
    rest.cursor = part.next;
    RowPage more = LUZIA_TRY(collect_pages(source, rest, 0));
    std::ranges::move(more.rows, std::back_inserter(part.rows));
    part.next.clear();
  }
  return page;
}

Result<Overview> ask_overview(Source& source, const wire::QueryT& query) {
  auto page = LUZIA_TRY(ask_overview_rows(source, query));
  return overview_of(std::move(page), query);
}

}  // namespace luzia
