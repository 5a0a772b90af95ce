#include "tools/luzia-query/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "adapters/config/nearest.h"
#include "engine/base/local_time.h"
#include "projections/rows/names.h"
#include "projections/rows/wrapped.h"

namespace luzia {
namespace {

/// Words as they were typed, before they are understood.
struct Typed {
  std::vector<std::string> jobs, projects, agents, tags, states;
  std::string at, since, until, colour, format, limit, from, to, speed, max_gap, timeout;
  bool json = false, csv = false, table = false, all = false;
};

constexpr std::string_view kTakeValues[] = {
    "--store",  "--config",  "--color",      "--at",      "--job",    "--project", "--agent",
    "--tag",    "--state",   "--since",      "--until",   "--limit",  "--cursor",  "--out",
    "--format", "--by",      "--projection", "--into",    "--recent", "--from",    "--to",
    "--speed",  "--max-gap", "--timeout",    "--patience"};

void add_common(CLI::App& app, Options& options, Typed& typed, const Grammar& grammar) {
  app.add_option("--store", options.store, "The store to ask about (default: the configured one)")
      ->type_name("DIR");
  app.add_option("--config", options.config_file, "Read this configuration too")->type_name("FILE");
  app.add_flag("--offline", options.offline, "Read the store itself even if a daemon runs");
  app.add_option(
         "--patience", options.patience,
         "How long to wait for a daemon that does not answer (default: $LUZIA_PATIENCE, else 10s; 0: for "
         "ever)")
      ->type_name("D");
  auto* json = app.add_flag("--json", typed.json, "Print JSON");
  auto* table = app.add_flag("--table", typed.table, "Print text for people (default)")->excludes(json);
  if (grammar.csv) app.add_flag("--csv", typed.csv, "Print CSV")->excludes(json)->excludes(table);
  app.add_option("--color", typed.colour, "Colours: auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("-h,--help", options.help, "Show this help");
}

/// An option that may be repeated, or given several values with commas.
CLI::Option* add_list(CLI::App& app, const char* name, std::vector<std::string>& values,
                      const char* description, const char* type) {
  return app.add_option(name, values, description)->type_name(type)->delimiter(',')->allow_extra_args(false);
}

/// Options of no group are in no help.
void add_subjects_of_sums(CLI::App& app, Typed& typed) {
  add_list(app, "--project", typed.projects, "Only these projects", "NAME");
  add_list(app, "--job", typed.jobs, "", "JOB")->group("");
  add_list(app, "--agent", typed.agents, "", "NAME")->group("");
  add_list(app, "--tag", typed.tags, "", "TAG")->group("");
  add_list(app, "--state", typed.states, "", "STATE")->group("");
}

void add_times(CLI::App& app, Typed& typed, const Grammar& grammar) {
  const std::string of_rows =
      std::string(grammar.happened) + " at this time or later (2h, 14:05, 2026-11-21)";
  app.add_option("--since", typed.since,
                 grammar.position ? "From this time on (2h, 14:05, 2026-11-21), or after a position"
                 : grammar.sums   ? "What is of this time or later; of sums, of its day (7d, 2026-11-21)"
                 : grammar.jobs   ? of_rows
                                  : "From the day of this time on (7d, yesterday, 2026-11-21)")
      ->type_name(grammar.position ? "TIME|POSITION" : "TIME");
  app.add_option("--until", typed.until, "Before this time")->type_name("TIME");
}

void add_filters(CLI::App& app, Options& options, Typed& typed, const Grammar& grammar) {
  if (grammar.at) {
    app.add_option(
           "--at", typed.at,
           "The state as it was at a position of the log or a time (local, unless it names its offset)")
        ->type_name("POSITION|TIME");
  }
  if (grammar.jobs) add_list(app, "--job", typed.jobs, "Only these jobs (ids, prefixes, @last)", "JOB");
  if (grammar.subjects) {
    add_list(app, "--project", typed.projects, "Only these projects", "NAME");
    add_list(app, "--agent", typed.agents, "Only these agents", "NAME");
  }
  if (grammar.jobs) {
    add_list(app, "--tag", typed.tags, "Only jobs with all of these tags", "TAG");
    add_list(app, "--state", typed.states, "Only jobs in one of these states", "STATE");
  }
  if (grammar.sums) add_subjects_of_sums(app, typed);
  if (grammar.time) add_times(app, typed, grammar);
  if (grammar.all) app.add_flag("--all", typed.all, "Ended jobs too");
  if (grammar.recent) {
    app.add_option("--recent", typed.limit, "How many ended jobs (default: 10)")->type_name("N");
  }
  if (grammar.endless) {
    app.add_option("--limit", typed.limit, "At most so many (default: all)")->type_name("N");
  }
  if (grammar.pages) {
    app.add_option("--limit", typed.limit, "At most so many, 0 for all (default: 50)")->type_name("N");
    app.add_option("--cursor", options.cursor, "Go on where a page ended (its \"next\")")
        ->type_name("CURSOR");
  }
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> names;
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    names.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return names;
}

/// "a, b or c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

void add_own(CLI::App& app, Options& options, Typed& typed, const Grammar& grammar) {
  if (!grammar.argument.empty()) {
    app.add_option(std::string(grammar.argument), options.name)->required();
  }
  if (grammar.formats) {
    app.add_option("--format", typed.format, "jsonl (default) or cloudevents")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"jsonl", "cloudevents"}));
  }
  if (grammar.folder) {
    app.add_option("--out", options.out, "Write to this folder, whole or not at all")->type_name("DIR");
  }
  if (grammar.resume) app.add_flag("--resume", options.resume, "Go on where an export was broken off");
  if (grammar.out) {
    app.add_option("--out", options.out, "Write to this file, whole or not at all")->type_name("FILE");
  }
  if (grammar.plot) app.add_flag("--plot", options.plot, "Draw bars instead of a table");
  if (grammar.span) {
    app.add_option("--from", typed.from, "The earlier moment: a position of the log or a time")
        ->type_name("POSITION|TIME");
    app.add_option("--to", typed.to, "The later moment (default: now)")->type_name("POSITION|TIME");
  }
  if (grammar.pace) {
    app.add_option("--speed", typed.speed, "So many times as fast as it happened (default: 1x)")
        ->type_name("FACTOR");
    app.add_option("--max-gap", typed.max_gap, "Wait no longer than this between two events (default: 2s)")
        ->type_name("D");
  }
  if (grammar.timeout) {
    app.add_option("--timeout", typed.timeout, "Give up after this long (default: 30s)")->type_name("D");
  }
  if (!grammar.by.empty()) {
    const std::vector<std::string> choices = split_choices(grammar.by);
    app.add_option("--by", options.by, "Statistics by " + listed(choices))
        ->type_name("WHAT")
        ->check(CLI::IsMember(choices));
  }
  if (grammar.replay) {
    auto* rebuild = app.add_flag("--rebuild", options.rebuild, "Replace the store's rows by replayed ones");
    app.add_option("--projection", options.projection, "Replay into this view only")
        ->type_name("NAME")
        ->excludes(rebuild);
    app.add_option("--into", options.into, "Keep the replayed rows in this new folder")
        ->type_name("DIR")
        ->excludes(rebuild);
    app.add_option(
           "--since", typed.since,
           "Measure from this time on (2h, 14:05, 2026-11-21), or after a position: what came before is "
           "folded first")
        ->type_name("TIME|POSITION")
        ->excludes(rebuild);
  }
}

void build(CLI::App& app, Options& options, Typed& typed, const Grammar& grammar) {
  app.set_help_flag();
  app.allow_extras();
  add_own(app, options, typed, grammar);
  add_filters(app, options, typed, grammar);
  add_common(app, options, typed, grammar);
}

tl::unexpected<Error> see_help(std::string message, std::string_view command, const std::string& near = {}) {
  std::string hint = near.empty() ? "" : "did you mean " + near + "? ";
  return fail(ErrorKind::usage, "bad_usage", std::move(message),
              hint.append("luzia-query ").append(command).append(" --help"));
}

/// What the parser did not take: an option that this command does not have, or one word too many.
tl::unexpected<Error> unknown_word(std::string word, const CLI::App& app, std::string_view command) {
  if (!word.starts_with("-")) {
    return see_help(std::string(command) + " does not take '" + word + "'", command);
  }
  word.resize(std::min(word.size(), word.find('=')));
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return see_help(std::string(command) + " has no option " + word, command, nearest_name(word, known));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::uint64_t> parse_number(const std::string& option, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return fail(ErrorKind::usage, "bad_usage", option + " takes a number, not '" + std::string(text) + "'");
}

constexpr const char* kPastTimes = "HH:MM is of today, local; examples: 2h, yesterday, 2026-11-21T14:05:00Z";

tl::unexpected<Error> still_to_come(const std::string& option, const std::string& text, TimeUs time) {
  return fail(ErrorKind::usage, "bad_usage",
              option + ": " + text + " is still to come (" + format_local(time) + ")", kPastTimes);
}

Result<TimeUs> parse_moment_in_time(const std::string& option, const std::string& text, TimeUs now) {
  const auto time = parse_local_time(text, now);
  if (time && *time > 0) return *time;
  if (const auto to_come = parse_local_time_to_come(text, now); to_come && *to_come > now) {
    return still_to_come(option, text, *to_come);
  }
  return fail(ErrorKind::usage, "bad_usage", option + ": '" + text + "' is no time",
              "times are 2h (ago), 14:05 (of today), yesterday, 2026-11-21, 2026-11-21T14:05:00Z");
}

Result<Moment> parse_moment(const std::string& option, const std::string& text, TimeUs now) {
  if (text.empty()) return Moment{};
  if (!is_number(text)) {
    const auto time = parse_moment_in_time(option, text, now);
    if (!time) return tl::unexpected(time.error());
    if (*time > now) {
      return still_to_come(option, text, *time);
    }
    return Moment{0, *time};
  }
  const auto position = parse_number(option, text);
  if (!position) return tl::unexpected(position.error());
  if (*position == 0) {
    return fail(ErrorKind::usage, "no_such_position", option + " 0: positions of the log begin at 1");
  }
  return Moment{*position, 0};
}

Status take_times(Options& options, const Typed& typed, const Grammar& grammar, TimeUs now) {
  if (grammar.position && is_number(typed.since)) {
    const auto position = parse_number("--since", typed.since);
    if (!position) return tl::unexpected(position.error());
    options.after = *position;
  } else if (!typed.since.empty()) {
    const auto since = parse_moment_in_time("--since", typed.since, now);
    if (!since) return tl::unexpected(since.error());
    if (*since > now) {
      return still_to_come("--since", typed.since, *since);
    }
    options.filter.since_us = *since;
  }
  if (!typed.until.empty()) {
    const auto until = parse_moment_in_time("--until", typed.until, now);
    if (!until) return tl::unexpected(until.error());
    options.filter.until_us = *until;
  }
  return {};
}

Result<double> parse_speed(std::string_view text) {
  constexpr double kFastest = 1e6;
  std::string_view digits = text;
  if (digits.ends_with('x')) digits.remove_suffix(1);
  double speed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), speed);
  if (error == std::errc{} && end == digits.data() + digits.size() && speed > 0 && speed <= kFastest) {
    return speed;
  }
  return fail(ErrorKind::usage, "bad_usage", "--speed: '" + std::string(text) + "' is no factor",
              "examples: 10x, 0.5x");
}

Result<std::uint64_t> parse_length(const std::string& option, const std::string& text) {
  if (const auto length = parse_duration_ms(text)) return *length;
  return fail(ErrorKind::usage, "bad_usage", option + ": '" + text + "' is no length of time",
              "examples: 500ms, 2s, 1m");
}

/// --from --to --speed --max-gap --timeout
Status take_course(Options& options, const Typed& typed, TimeUs now) {
  const auto from = parse_moment("--from", typed.from, now), to = parse_moment("--to", typed.to, now);
  if (!from || !to) return tl::unexpected(from ? to.error() : from.error());
  options.from = *from;
  options.to = *to;
  if (!typed.speed.empty()) {
    const auto speed = parse_speed(typed.speed);
    if (!speed) return tl::unexpected(speed.error());
    options.speed = *speed;
  }
  if (!typed.max_gap.empty()) {
    const auto gap = parse_length("--max-gap", typed.max_gap);
    if (!gap) return tl::unexpected(gap.error());
    options.max_gap_us = std::max<TimeUs>(1, static_cast<TimeUs>(*gap) * kMillisecondUs);
  }
  if (!typed.timeout.empty()) {
    const auto timeout = parse_length("--timeout", typed.timeout);
    if (!timeout) return tl::unexpected(timeout.error());
    options.timeout_ms = std::max<std::uint64_t>(1, *timeout);
  }
  return {};
}

Status take_states(Options& options, const Typed& typed) {
  for (const std::string& word : typed.states) {
    const auto state = parse_state(word);
    if (!state) {
      return fail(ErrorKind::usage, "bad_usage", "--state: no job is ever '" + word + "'",
                  "queued, starting, running, waiting, parked, completed, failed, killed, timed_out, lost");
    }
    options.filter.states.push_back(*state);
  }
  return {};
}

Status take_values(Options& options, Typed& typed, const Grammar& grammar, TimeUs now) {
  options.format = typed.json ? Format::json : typed.csv ? Format::csv : Format::table;
  options.colour = typed.colour == "always"  ? ColourChoice::always
                   : typed.colour == "never" ? ColourChoice::never
                                             : ColourChoice::automatic;
  options.cloud_events = typed.format == "cloudevents";
  auto at = parse_moment("--at", typed.at, now);
  if (!at) return tl::unexpected(at.error());
  options.at = *at;
  if (Status taken = take_course(options, typed, now); !taken) return taken;
  if (Status taken = take_times(options, typed, grammar, now); !taken) return taken;
  if (Status taken = take_states(options, typed); !taken) return taken;
  if (!typed.limit.empty()) {
    const auto limit = parse_number(grammar.recent ? "--recent" : "--limit", typed.limit);
    if (!limit) return tl::unexpected(limit.error());
    options.limit = *limit;
  }
  options.filter.jobs = std::move(typed.jobs);
  options.filter.projects = std::move(typed.projects);
  options.filter.agents = std::move(typed.agents);
  options.filter.tags = std::move(typed.tags);
  // A list that is about now hides ended jobs, unless what was asked for is about the past.
  const bool past = !options.filter.jobs.empty() || !options.filter.states.empty() || !typed.since.empty() ||
                    !typed.until.empty();
  options.filter.ended = !grammar.all || typed.all || past;
  return {};
}

}  // namespace

CommandLine split_command_line(const std::vector<std::string>& arguments) {
  CommandLine line;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool option = word.size() > 1 && word[0] == '-';
    if (!option && line.command.empty()) {
      line.command = word;
      continue;
    }
    line.words.push_back(word);
    if (takes_value(word) && i + 1 < arguments.size()) line.words.push_back(arguments[++i]);
  }
  return line;
}

Result<Options> parse_options(std::string_view command, const Grammar& grammar,
                              const std::vector<std::string>& words, TimeUs now) {
  Options options;
  Typed typed;
  CLI::App app;
  build(app, options, typed, grammar);
  const bool help = std::any_of(words.begin(), std::ranges::find(words, "--"),
                                [](auto& word) { return word == "--help" || word == "-h"; });
  if (help) {
    options.help = true;
    return options;
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::RequiredError&) {
    return see_help(std::string(command) + " needs " + std::string(grammar.argument), command);
  } catch (const CLI::ParseError& error) {
    return see_help(std::string(command) + ": " + error.what(), command);
  }
  if (const auto extras = app.remaining(); !extras.empty()) return unknown_word(extras[0], app, command);
  if (Status taken = take_values(options, typed, grammar, now); !taken) return tl::unexpected(taken.error());
  return options;
}

std::vector<std::pair<std::string, std::string>> option_names(const Grammar& grammar) {
  Options options;
  Typed typed;
  CLI::App app;
  build(app, options, typed, grammar);
  std::vector<std::pair<std::string, std::string>> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      names.emplace_back("--" + name, option->get_description());
    }
  }
  return names;
}

bool takes_value(std::string_view option) {
  return std::ranges::find(kTakeValues, option) != std::end(kTakeValues);
}

std::string describe_options(const Grammar& grammar) {
  constexpr std::size_t kTextColumn = 29;
  Options options;
  Typed typed;
  CLI::App app;
  build(app, options, typed, grammar);
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    std::string names = "  " + option->get_name(false, true);
    if (option->get_items_expected_max() > 0) names += " " + option->get_type_name();
    if (names.size() < kTextColumn) {
      names.resize(kTextColumn, ' ');
    } else {
      names += "\n" + std::string(kTextColumn, ' ');
    }
    text += names + wrap_hanging(option->get_description(), kHelpWidth, kTextColumn) + "\n";
  }
  return text;
}

}  // namespace luzia
