#include "tools/read/recent_updates.h"

#include <algorithm>

#include "tools/read/listing.h"

namespace luzia {
namespace {

/// Keeps warnings and errors, in their order.
Status keep_alerts(RowPage& page) {
  const auto rows = LUZIA_TRY(rows_of<view::Activity>(page));
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->severity() >= schema::Severity::warning) kept.push_back(std::move(page.rows[i]));
  }
  page.rows = std::move(kept);
  return {};
}

}  // namespace

Status print_recent_updates(Session& session, std::size_t count, bool alerts) {
  Source* const source = LUZIA_TRY(session.source());
  RowPage page;
  wire::QueryT query = session.query(wire::View::activity);
  query.filter->ended = true;  // updates of jobs that have ended are recent, too
  // A page without rows would be one with the default number of them.
  if (count != 0) page = LUZIA_TRY(collect_pages(*source, std::move(query), alerts ? 0 : count));
  if (alerts) LUZIA_TRY(keep_alerts(page));
  page.rows.resize(std::min(page.rows.size(), count));
  page.next.clear();
  std::ranges::reverse(page.rows);  // they come newest first
  return print_list<view::Activity>(session, page,
                                    {"updates", activity_json, activity_table, "no such updates"});
}

}  // namespace luzia
