// export events, and what all exports share.
#include "tools/luzia-query/export_command.h"

#include "adapters/files/out_file.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/cloud_event.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/erased_since.h"
#include "tools/luzia-query/event_lines.h"
#include "tools/read/event_pages.h"

namespace luzia {
namespace {

bool has_out(const Session& session) {
  return !session.options().out.empty() && session.options().out != "-";
}

Status print_exported(Session& session) {
  if (session.options().format != Format::json) return session.console().write_line(session.options().out);
  JsonObject object;
  object.text("file", session.options().out);
  return session.console().write_line(object.take());
}

/// Writes the events after position `after`, at most `limit`; 0: all.
Status write_events(Session& session, Position after, std::size_t limit, const ExportSink& sink) {
  auto* shape = session.options().cloud_events ? cloud_event_json : event_json;
  Console& console = session.console();
  std::uint64_t count = 0;
  const auto last =
      visit_events(session, limit, after, [&](const Events& events, const RowPage& page) -> Status {
        count += events.size();
        LUZIA_TRY(sink(lines_of(events, shape)));
        if (events.empty()) return {};
        console.show_progress("exporting events", events.back()->position(), page.position);
        return {};
      });
  if (!last) return tl::unexpected(last.error());
  console.say("exported " + counted(count, "event") + " up to position " + std::to_string(last->position));
  return {};
}

/// How many events --limit still allows; 0: no limit. nullopt: the limit is reached.
Result<std::optional<std::size_t>> events_left(Session& session, const EventLines& file) {
  const std::size_t limit = session.options().limit.value_or(0);
  if (limit == 0) return std::optional<std::size_t>(0);
  const auto count = LUZIA_TRY(file.count());
  if (count > limit) {
    return fail(
        ErrorKind::usage, "other_export",
        "the export in " + session.options().out + ".part has " + counted(count, "event") + " already",
        "give a greater --limit, or remove it to start over");
  }
  return count == limit ? std::nullopt : std::optional<std::size_t>(limit - count);
}

Result<int> resume_events(Session& session) {
  if (!has_out(session)) {
    return fail(ErrorKind::usage, "bad_usage", "only an export to a file can be resumed", "add --out FILE");
  }
  const auto begun = LUZIA_TRY(export_begun(session));
  auto file = LUZIA_TRY(EventLines::resume(session.options().out, session.options().cloud_events, begun));
  if (file.last() != 0) {
    const auto erased = LUZIA_TRY(erased_since(session, file.last()));
    if (erased) {
      session.console().say("texts already exported have since been erased: starting over");
      LUZIA_TRY(file.begin_anew());
    }
  }
  const auto left = LUZIA_TRY(events_left(session, file));
  if (file.last() != 0) session.console().say("continuing after position " + std::to_string(file.last()));
  Status done;
  if (left) {
    done = write_events(session, file.last(), *left, [&](std::string_view text) { return file.write(text); });
  }
  if (done) done = file.finish();
  if (done) done = print_exported(session);
  if (!done) return tl::unexpected(done.error());
  return 0;
}

}  // namespace

Result<int> export_to_out(Session& session, const std::function<Status(const ExportSink&)>& write) {
  Status done;
  if (!has_out(session)) {
    done = write([&](std::string_view text) { return session.console().write(text); });
  } else {
    auto file = LUZIA_TRY(OutFile::create(session.options().out));
    done = write([&](std::string_view text) { return file.write(text); });
    if (done) done = file.finish();
    if (done) done = print_exported(session);
  }
  if (!done) return tl::unexpected(done.error());
  return 0;
}

Result<int> export_events(Session& session) {
  if (session.options().resume) return resume_events(session);
  return export_to_out(session, [&](const ExportSink& sink) {
    return write_events(session, 0, session.options().limit.value_or(0), sink);
  });
}

}  // namespace luzia
