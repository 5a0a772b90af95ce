// events: the log itself.
#include <deque>
#include <iterator>

#include "engine/base/try.h"
#include "tools/read/commands.h"
#include "tools/read/event_pages.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

/// The query for events. --cursor and --since POSITION mean the same: events after that position.
wire::QueryT events_query(const Session& session) {
  wire::QueryT query = session.query(wire::View::events);
  if (query.cursor.empty() && session.options().after != 0) {
    query.cursor = std::to_string(session.options().after);
  }
  return query;
}

std::string_view behind_first_line(std::string_view text) {
  return text.substr(std::min(text.size(), text.find('\n') + 1));
}

/// One page as a table; only the first page has the header.
std::string events_text(const Events& events, Format format, const TableStyle& style, bool first) {
  const std::string text = format == Format::csv ? events_table(events, Form::data).csv()
                                                 : events_table(events, Form::people).text(style);
  return std::string(first ? std::string_view(text) : behind_first_line(text));
}

/// Whether to show the newest events: nobody said where to start or how many to show.
bool wants_newest(const Options& options) {
  return options.format == Format::table && !options.limit && options.after == 0 && options.cursor.empty() &&
         options.filter.since_us == 0;
}

/// The last events that the options select, oldest first, and whether there are older ones.
struct Newest {
  std::deque<std::string> rows;
  bool older = false;
  Position position = 0;
};

/// Searches ever longer tails of the log until `count` events are found: usually they are near the end.
Result<Newest> newest_events(Session& session, Source& source, std::size_t count) {
  constexpr Position kFirstLook = 200, kLonger = 16;
  wire::QueryT query = session.query(wire::View::events);
  query.limit = 1;
  const auto tip = LUZIA_TRY(source.query(query));
  query.at_position = tip.position;
  query.at_time_us = 0;
  for (Position look = kFirstLook;; look *= kLonger) {
    Newest newest;
    newest.position = tip.position;
    const Position from = tip.position > look ? tip.position - look : 0;
    query.cursor = std::to_string(from);
    if (tip.position == 0) return newest;
    LUZIA_TRY(visit_pages(source, query, 0, [&](const RowPage& page) -> Status {
      newest.rows.insert(newest.rows.end(), page.rows.begin(), page.rows.end());
      while (newest.rows.size() > count) {
        newest.rows.pop_front();
        newest.older = true;
      }
      return {};
    }));
    if (from == 0) return newest;
    if (newest.rows.size() == count) {
      newest.older = true;
      return newest;
    }
  }
}

Result<int> print_newest(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  auto newest = LUZIA_TRY(newest_events(session, *source, kDefaultLimit));
  RowPage page;
  page.position = newest.position;
  page.rows.assign(std::make_move_iterator(newest.rows.begin()), std::make_move_iterator(newest.rows.end()));
  const auto events = LUZIA_TRY(events_of(page));
  Console& console = session.console();
  if (events.empty()) {
    console.say("no such events");
  } else if (Status written = console.write(events_text(events, Format::table, console.style(), true));
             !written) {
    return tl::unexpected(written.error());
  }
  if (newest.older) {
    console.say("these are the newest " + std::to_string(events.size()) +
                "; for older ones use --limit 0 (all) or --since TIME or POSITION");
  }
  report_place(session, page);
  return 0;
}

Result<int> run_events(Session& session) {
  if (wants_newest(session.options())) return print_newest(session);
  Console& console = session.console();
  const Format format = session.options().format;
  const std::size_t limit = session.options().limit.value_or(format == Format::table ? kDefaultLimit : 0);
  bool first = true;
  std::uint64_t count = 0;
  const auto last = visit_events(session, limit, 0, [&](const Events& events, const RowPage&) -> Status {
    count += events.size();
    if (format == Format::json) return console.write(lines_of(events, event_json));
    if (events.empty() && (!first || format == Format::table)) return {};
    const std::string text = events_text(events, format, console.style(), first);
    first = false;
    return console.write(text);
  });
  if (!last) return tl::unexpected(last.error());
  if (format != Format::table) return 0;
  if (count == 0) console.say("no such events");
  report_place(session, *last);
  return 0;
}

constexpr Option kFirstEvents{"--limit", ValueKind::number, "N",
                              "list the first N, 0 for all (default: the newest 50; as JSON or CSV all)"};
constexpr Option kEventsOptions[] = {kJobFilter,    kProjectFilter, kAgentFilter, kTagFilter,
                                     kStateFilter,  kSincePlace,    kUntilFilter, kFirstEvents,
                                     kCursorOption, kAtOption,      kCsvOption};

}  // namespace

Result<RowPage> visit_events(Session& session, std::size_t limit, Position after,
                             const std::function<Status(const Events&, const RowPage&)>& visit) {
  Source* const source = LUZIA_TRY(session.source());
  wire::QueryT query = events_query(session);
  if (after != 0) query.cursor = std::to_string(after);
  RowPage last;
  LUZIA_TRY(visit_pages(*source, std::move(query), limit, [&](const RowPage& page) -> Status {
    const auto events = LUZIA_TRY(events_of(page));
    last.position = page.position;
    last.next = page.next;
    return visit(events, page);
  }));
  return last;
}

std::string lines_of(const Events& events, std::string (*shape)(const schema::Event&)) {
  std::string lines;
  for (const schema::Event* event : events) lines.append(shape(*event)).push_back('\n');
  return lines;
}

const Command kEventsCommand = {"events",
                                "Look",
                                "[filters] [--limit N] [--at TIME]",
                                "list events of the log, by default the newest 50",
                                "",
                                "luzia events --job @last\n"
                                "luzia events --since 1200 --json\n"
                                "luzia events --since yesterday --until today --project web --csv",
                                kEventsOptions,
                                {},
                                reading<run_events>,
                                kNeedsStore};

}  // namespace luzia
