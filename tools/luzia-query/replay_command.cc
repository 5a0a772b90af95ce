// replay: replays the log through the projections and measures it, or rebuilds the store's rows.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/log/verify_chain.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "engine/view/scratch_views.h"
#include "projections/registry.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/store_source.h"

namespace luzia {
namespace {

struct ViewSize {
  std::string name;
  std::uint64_t rows = 0, bytes = 0;
};

struct ReplayReport {
  Position position = 0;
  std::uint64_t events = 0, bytes = 0;
  double seconds = 0;
  std::vector<ViewSize> views;

  double events_per_second() const { return static_cast<double>(events) / std::max(seconds, 1e-9); }
  double bytes_per_second() const { return static_cast<double>(bytes) / std::max(seconds, 1e-9); }
};

/// The projection that writes the view `name`; all projections if it is empty.
Result<ProjectionRegistry> chosen_projections(const std::string& name) {
  if (name.empty()) return all_projections();
  std::string known;
  for (const ProjectionFactory make : all_projections()) {
    for (const ProjectionInfo& info : list_views({make})) {
      if (info.name == name) return ProjectionRegistry{make};
      known.append(known.empty() ? "" : ", ").append(info.name);
    }
  }
  return fail(ErrorKind::usage, "bad_usage", "there is no view '" + name + "'", "known views: " + known);
}

/// The last position before --since; the log's base if there is none.
Result<Position> since_of(const EventLog& log, const Options& options, Position until) {
  Position since = options.after;
  if (options.filter.since_us != 0) {
    since = LUZIA_TRY(position_by_time(log, options.filter.since_us - 1));
  }
  if (since <= until) return std::max(since, log.base().position);
  return fail(ErrorKind::usage, "bad_usage",
              "nothing to replay: position " + std::to_string(until) + " is not after --since");
}

/// Folds events from the fold's cursor to `until`, showing progress.
Status fold_shown(Session& session, const EventLog& log, Fold& fold, Position until, ReplayReport& report,
                  std::string_view what) {
  const Position begun = std::max(fold.cursor().position, log.base().position);
  Status folded = fold_log(log, fold, until, [&](FoldProgress now) {
    report.bytes = now.bytes;
    session.console().show_progress(what, now.done, now.total);
  });
  report.position = fold.cursor().position;
  report.events = report.position - std::min(report.position, begun);
  return folded;
}

std::vector<ViewSize> sizes_of(const ViewReader& rows, const ProjectionRegistry& registry) {
  std::vector<ViewSize> sizes;
  for (const ProjectionInfo& info : list_views(registry)) {
    ViewSize size{std::string(info.name)};
    rows.scan(row_key(info, ""), row_end(info), [&](std::string_view key, std::string_view value) {
      ++size.rows;
      size.bytes += key.size() + value.size();
      return true;
    });
    sizes.push_back(std::move(size));
  }
  return sizes;
}

Result<ReplayReport> replay(Session& session, const EventLog& log, const ProjectionRegistry& registry,
                            Position since, Position until, ViewStore& rows) {
  using Clock = std::chrono::steady_clock;
  ReplayReport report;
  Fold fold(registry, rows);
  if (since > log.base().position) {
    ReplayReport before;
    LUZIA_TRY(fold_shown(session, log, fold, since, before, "replaying earlier events"));
  }
  const auto begun = Clock::now();
  LUZIA_TRY(fold_shown(session, log, fold, until, report, "replaying"));
  report.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  report.views = sizes_of(*rows.snapshot(), registry);
  return report;
}

Result<std::unique_ptr<ViewStore>> fresh_rows(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
    return fail(ErrorKind::usage, "target_not_empty", "cannot replay into " + folder + ": it is not empty",
                "name a folder that does not exist yet");
  }
  auto opened = LUZIA_TRY(open_rocks_view_store(folder, OpenMode::read_write));
  return std::move(opened.store);
}

std::string report_json(const ReplayReport& report) {
  JsonObject json;
  json.number("position", report.position);
  json.number("events", report.events);
  json.number("bytes", report.bytes);
  json.number("seconds", report.seconds);
  json.number("events_per_second", report.events_per_second());
  json.number("mb_per_second", report.bytes_per_second() / 1e6);
  json.objects("views", report.views, [](JsonObject& json, const ViewSize& view) {
    json.text("name", view.name);
    json.number("rows", view.rows);
    json.number("bytes", view.bytes);
  });
  return json.take();
}

std::string report_text(const ReplayReport& report, const TableStyle& style) {
  std::string out = fmt::format("{} up to position {} in {:.3f} s: {} events/s, {:.1f} MB/s\n",
                                counted(report.events, "event"), report.position, report.seconds,
                                grouped(static_cast<std::uint64_t>(report.events_per_second())),
                                report.bytes_per_second() / 1e6);
  Table table({{"VIEW"}, {"ROWS", Align::right}, {"BYTES", Align::right}});
  for (const ViewSize& view : report.views) {
    table.add({{view.name, Colour::bold}, {grouped(view.rows)}, {grouped(view.bytes)}});
  }
  return out + table.text(style);
}

/// Verifies the log after a replay. Rows do not contain texts, so a replay succeeds even if texts are
/// damaged; people should know about it nevertheless.
Result<int> prove(Session& session, const EventLog& log) {
  const Position total = log.tip().position;
  LUZIA_TRY(verify_chain(
      log, [&](Position position) { session.console().show_progress("proving the log", position, total); }));
  return 0;
}

/// Verifies the log of the session's store. If we may not read it, the daemon's scrub does that.
Result<int> prove_store(Session& session) {
  if (session.store().empty() || access((session.store() + "/log").c_str(), R_OK | X_OK) != 0) return 0;
  const auto log = LUZIA_TRY(open_log_for_reading(session.store()));
  return prove(session, *log);
}

Result<int> rebuild(Session& session) {
  const Options& options = session.options();
  if (!options.projection.empty() || !options.into.empty() || session.invocation().args().has("since")) {
    return fail(ErrorKind::usage, "bad_usage", "--rebuild replaces all rows",
                "leave out --projection, --into and --since");
  }
  if (!options.at.is_now()) {
    return fail(ErrorKind::usage, "bad_usage", "rows are always rebuilt up to the end of the log",
                "leave out --at, or replay --into another folder");
  }
  Source* const source = LUZIA_TRY(session.source());
  const auto done = LUZIA_TRY(source->rebuild(session.progress()));
  JsonObject json;
  json.text("message", done);
  LUZIA_TRY(session.console().write_line(session.options().format == Format::json ? json.take() : done));
  return prove_store(session);
}

}  // namespace

Result<int> run_replay(Session& session) {
  const Options& options = session.options();
  if (options.rebuild) return rebuild(session);
  const auto registry = LUZIA_TRY(chosen_projections(options.projection));
  LUZIA_TRY(need_store(session.store()));
  const auto log = LUZIA_TRY(open_log_for_reading(session.store()));
  const auto until = LUZIA_TRY(position_of(*log, options.at));
  const auto since = LUZIA_TRY(since_of(*log, options, until));

  Result<ReplayReport> report;
  if (options.into.empty()) {
    auto scratch = LUZIA_TRY(ScratchViews::open(session.store(), until));
    report = replay(session, *log, registry, since, until, scratch.rows());
  } else {
    const auto rows = LUZIA_TRY(fresh_rows(options.into));
    report = replay(session, *log, registry, since, until, *rows);
  }
  if (!report) return tl::unexpected(report.error());
  Console& console = session.console();
  LUZIA_TRY(options.format == Format::json ? console.write_line(report_json(*report))
                                           : console.write(report_text(*report, console.style())));
  return prove(session, *log);
}

}  // namespace luzia
