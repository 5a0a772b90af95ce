#include "tools/luzia-web/events.h"

#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "tools/luzia-web/readings.h"
#include "tools/read/commands.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

constexpr std::size_t kUsualEvents = 200;
constexpr std::uint32_t kCatchupEvents = 100;

Result<RowPage> ask_events(const DaemonDoor& door, const std::string& device, const wire::QueryT& query) {
  const auto source = LUZIA_TRY(door.source_as(device));
  return source->query(query);
}

/// The query that the parameters of the command events stand for.
Result<wire::QueryT> events_query(const Match& match, const Request& request) {
  std::vector<std::string> more;
  if (const auto job = match.values.find("job"); job != match.values.end())
    more.push_back("--job=" + job->second);
  const auto options = LUZIA_TRY(options_in(kEventsCommand, request, more));
  wire::QueryT query = view_query(wire::View::events, std::make_unique<wire::FilterT>(options.filter));
  query.limit = static_cast<std::uint32_t>(options.limit.value_or(kUsualEvents));
  query.cursor =
      options.after != 0 && options.cursor.empty() ? std::to_string(options.after) : options.cursor;
  query.at_position = options.at.position;
  query.at_time_us = options.at.time_us;
  return query;
}

}  // namespace

Answer events_page(const DaemonDoor& door, const std::string& device, const Match& match,
                   const Request& request) {
  const auto query = events_query(match, request);
  if (!query) return problem(query.error());
  const auto page = ask_events(door, device, *query);
  if (!page) return problem(page.error());
  const auto events = events_of(*page);
  if (!events) return problem(events.error());
  std::vector<std::string> objects;
  for (const schema::Event* event : *events) objects.push_back(event_json(*event));
  Answer answer;
  answer.body = list_json("events", objects, page->position, page->next) + "\n";
  if (!page->next.empty()) answer.headers.emplace_back("Link", next_page(request, page->next));
  return answer;
}

Result<Catchup> catch_up(const DaemonDoor& door, const std::string& device, Position since) {
  wire::QueryT query = view_query(wire::View::events);
  query.cursor = since == 0 ? std::string() : std::to_string(since);
  query.limit = kCatchupEvents;
  const auto page = LUZIA_TRY(ask_events(door, device, query));
  const auto events = LUZIA_TRY(events_of(page));
  Catchup caught{{}, since};
  for (const schema::Event* event : events) {
    caught.text += block_of(event->position(), event_json(*event));
    caught.position = event->position();
  }
  if (page.next.empty()) caught.position = std::max(caught.position, page.position);
  return caught;
}

}  // namespace luzia::web
