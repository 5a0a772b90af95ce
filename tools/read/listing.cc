#include "tools/read/listing.h"

#include "engine/base/local_time.h"

namespace luzia {

Table chosen_of(const Session& session, const Table& all) {
  const auto& columns = session.options().columns;
  return columns.empty() ? all : all.with_columns(columns);
}

Status check_fields(const Session& session, const Table& table) {
  const Options& options = session.options();
  if (options.plot && !options.columns.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "--plot draws bars, which have no --columns",
                "leave one of them out");
  }
  std::vector<std::string> wanted = options.columns;
  for (const SortKey& key : options.sort) wanted.push_back(key.field);
  const std::vector<std::string> titles = table.titles();
  for (const std::string& field : wanted) {
    if (std::ranges::find(titles, field) != titles.end()) continue;
    std::string names;
    for (const std::string& title : titles) names += (names.empty() ? "" : ", ") + title;
    return fail(ErrorKind::usage, "bad_value",
                "these sums have no field '" + field + "', which is one of other sums of this command",
                "the fields are " + names);
  }
  return {};
}

void report_place(Session& session, const RowPage& page) {
  if (!session.options().at.is_now()) {
    session.console().say("as of position " + std::to_string(page.position));
  } else if (session.last_event()) {
    session.console().say_to_person("as of the last event, " + format_local(*session.last_event()));
  }
  if (!page.next.empty()) session.console().say("more: --cursor " + page.next);
}

}  // namespace luzia
