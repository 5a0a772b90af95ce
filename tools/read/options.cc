#include "tools/read/options.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {
namespace {

bool declares(const Command& command, std::string_view name) {
  return std::ranges::any_of(command.options,
                             [&](const Option& option) { return long_name(option) == name; });
}

wire::FilterT filter_of(const Command& command, const Arguments& args) {
  wire::FilterT filter;
  filter.jobs = args.list("job");
  filter.projects = args.list("project");
  filter.agents = args.list("agent");
  filter.tags = args.list("tag");
  take_states(args, filter);
  filter.schedules = args.list("schedule");
  filter.models = args.list("model");
  filter.steps = args.list("step");
  filter.since_us = args.place("since").value_or(Moment{}).time_us;
  filter.until_us = args.moment("until").value_or(0);
  filter.ended_since_us = args.moment("ended-since").value_or(0);
  filter.ended_before_us = args.moment("ended-before").value_or(0);
  // Lists with --all hide ended rows by default, unless the filters ask about the past.
  const bool past = !filter.jobs.empty() || args.has("state") || args.has("since") || args.has("until") ||
                    args.has("ended-since") || args.has("ended-before");
  filter.ended = !declares(command, "all") || args.has("all") || past;
  return filter;
}

/// --sort and --columns, of commands that have them.
Status take_fields(const Command& command, const Arguments& args, Options& options) {
  if (command.fields == nullptr) return {};
  options.sort = LUZIA_TRY(sort_keys_of(command, args));
  options.columns = LUZIA_TRY(shown_columns_of(command, args));
  if (!options.sort.empty() && !options.cursor.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "--cursor continues a list in its own order, not in --sort",
                "--limit N shows more rows");
  }
  if (!options.columns.empty() && options.format == Format::json) {
    return fail(ErrorKind::usage, "bad_usage",
                "--columns are those of a table, and --json prints whole objects",
                "--csv prints the columns for programs");
  }
  return {};
}

}  // namespace

void take_states(const Arguments& args, wire::FilterT& filter) {
  filter.states = args.states("state");
  const auto words = args.list("state");
  filter.proved = std::ranges::find(words, "proved") != words.end();
  filter.refuted = std::ranges::find(words, "refuted") != words.end();
}

Result<Options> options_of(const Command& command, const Arguments& args) {
  Options options;
  const bool json = args.has("json"), csv = args.has("csv"), table = args.has("table");
  if (json + csv + table > 1) {
    return fail(ErrorKind::usage, "bad_usage", "--json, --csv and --table exclude one another");
  }
  options.format = json ? Format::json : csv ? Format::csv : Format::table;
  options.at = args.place("at").value_or(Moment{});
  options.filter = filter_of(command, args);
  options.limit = args.number("limit");
  options.cursor = args.text("cursor");
  options.after = args.place("since").value_or(Moment{}).position;
  if (!args.positionals().empty()) options.name = args.positionals().front();
  options.out = args.text("out");
  options.cloud_events = args.text("format") == "cloudevents";
  options.by = args.text("by");
  options.plot = args.has("plot");
  options.resume = args.has("resume");
  options.from = args.place("from").value_or(Moment{});
  options.to = args.place("to").value_or(Moment{});
  options.speed = args.factor("speed").value_or(1);
  if (const auto gap = args.duration_ms("max-gap")) {
    options.max_gap_us = std::max<TimeUs>(1, static_cast<TimeUs>(*gap) * kMillisecondUs);
  }
  if (const auto timeout = args.duration_ms("timeout")) {
    options.timeout_ms = std::max<std::uint64_t>(1, *timeout);
  }
  options.rebuild = args.has("rebuild");
  options.projection = args.text("projection");
  options.into = args.text("into");
  LUZIA_TRY(take_fields(command, args, options));
  return options;
}

Status refuse_filters(const Command& command, const Arguments& args,
                      std::initializer_list<std::string_view> names, std::string_view why, std::string hint) {
  for (const std::string_view name : names) {
    if (!args.has(name)) continue;
    return fail(
        ErrorKind::usage, "cannot_filter",
        std::string(command.name) + " cannot filter by --" + std::string(name) + ": " + std::string(why),
        std::move(hint));
  }
  return {};
}

}  // namespace luzia
