// The options of a read command as plain values. One thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "projections/query.h"
#include "tools/cli/arguments.h"
#include "tools/read/row_order.h"

namespace luzia {

enum class Format { table, json, csv };

struct Options {
  Format format = Format::table;
  Moment at;
  wire::FilterT filter;              // `ended` is derived from --all and the other filters
  std::optional<std::size_t> limit;  // unset: the command's; 0: all
  std::string cursor;
  std::vector<SortKey> sort;         // --sort; empty: the list's own order
  std::vector<std::string> columns;  // --columns; empty: the list's own
  Position after = 0;                // events: --since POSITION

  std::string name;  // the first argument
  std::string out;   // --out FILE; empty: standard output
  bool cloud_events = false;
  std::string by;  // what statistics are grouped by; empty: no statistics
  bool plot = false;
  bool resume = false;           // continue an interrupted export
  Moment from, to;               // --from and --to
  double speed = 1;              // play: greater than 0
  TimeUs max_gap_us = 0;         // play: longest wait between two events; 0: not given
  std::uint64_t timeout_ms = 0;  // 0: not given
  bool rebuild = false;
  std::string projection, into;
};

/// The words of --state, kStateFilter, in the filter.
void take_states(const Arguments& args, wire::FilterT& filter);

/// `bad_usage`: options that exclude one another. `bad_value`: no such field.
Result<Options> options_of(const Command& command, const Arguments& args);

/// `cannot_filter` (usage): one of these options was given. `why` completes "COMMAND cannot filter by
/// --OPTION: ". For filters that a command takes in another of its forms; those that it never takes are
/// Command::unfiltered.
Status refuse_filters(const Command& command, const Arguments& args,
                      std::initializer_list<std::string_view> names, std::string_view why, std::string hint);

// Options that the tables of read commands use.
inline constexpr Option kAtOption{
    "--at", ValueKind::place, "POSITION|TIME",
    "show the state at a log position or a time (local, unless it names its offset)"};
inline constexpr Option kFromOption{"--from", ValueKind::place, "POSITION|TIME",
                                    "the earlier moment: a log position or a time"};
inline constexpr Option kToOption{"--to", ValueKind::place, "POSITION|TIME",
                                  "the later moment (default: now)"};
inline constexpr Option kCsvOption{"--csv", ValueKind::flag, "", "print CSV"};
inline constexpr Option kMachinesOption{"--machines", ValueKind::flag, "",
                                        "of this machine and of all others in [machines.NAME], in one list"};
inline constexpr Option kFleetOption{"--fleet", ValueKind::flag, "",
                                     "of all machines of the fleet, as its database has them"};
inline constexpr Option kSiteFilter{"--site", ValueKind::list, "NAME", "with --fleet: only these machines"};
inline constexpr Option kProjectFilter{"--project", ValueKind::list,   "NAME", "only these projects",
                                       "",          Completes::project};
inline constexpr Option kJobFilter{"--job", ValueKind::list, "JOB", "only these jobs (ids, prefixes, @last)",
                                   "",      Completes::job};
inline constexpr Option kAgentFilter{"--agent", ValueKind::list, "NAME", "only these agents",
                                     "",        Completes::agent};
inline constexpr Option kTagFilter{"--tag", ValueKind::list, "TAG", "only jobs with all of these tags"};
inline constexpr Option kScheduleFilter{"--schedule", ValueKind::list,    "NAME", "only of these schedules",
                                        "",           Completes::schedule};
inline constexpr Option kModelFilter{"--model", ValueKind::list, "NAME",
                                     "only jobs whose agent named one of these models last"};
inline constexpr Option kStepFilter{"--step", ValueKind::list, "NAME", "only jobs of these steps of flows"};
inline constexpr Option kStateFilter{
    "--state", ValueKind::shown_states, "STATE",
    "only these states: queued, running, waiting, failed, ..., and proved and refuted, as lists show them"};
inline constexpr Option kSinceFilter{"--since", ValueKind::moment, "TIME",
                                     "only since then: 2026-01-31, 14:05, today, 2h"};
inline constexpr Option kSinceDay{"--since", ValueKind::moment, "TIME",
                                  "only since that day (7d, yesterday, 2026-11-21)"};
inline constexpr Option kSincePlace{"--since", ValueKind::place_before, "TIME|POSITION",
                                    "only since then (2h, 14:05, 2026-11-21), or after a position"};
inline constexpr Option kUntilFilter{"--until", ValueKind::bound, "TIME", "only before that time"};
inline constexpr Option kEndedSinceFilter{"--ended-since", ValueKind::moment, "TIME",
                                          "only jobs that have ended since then"};
inline constexpr Option kEndedBeforeFilter{"--ended-before", ValueKind::bound, "TIME",
                                           "only jobs that ended before that time"};
inline constexpr Option kLimitOption{"--limit", ValueKind::number, "N",
                                     "list at most N, 0 for all (default 50)"};
inline constexpr Option kEndlessLimit{"--limit", ValueKind::number, "N", "at most N (default: all)"};
inline constexpr Option kChangesLimit{"--limit", ValueKind::number, "N",
                                      "at most N jobs, flows and problems (default: all)"};
inline constexpr Option kLearnedAgent{"--agent", ValueKind::list, "NAME", "only tools of these agents",
                                      "",        Completes::agent};
inline constexpr Option kLearnedTag{"--tag", ValueKind::list, "TAG", "only solutions with all of these tags"};
inline constexpr Option kLearnedLimit{"--limit", ValueKind::number, "N",
                                      "at most N of each kind (default: all)"};
inline constexpr Option kSortOption{"--sort", ValueKind::list,
                                    "FIELD",  "sort all rows by these fields of --csv; -FIELD: largest first",
                                    "",       Completes::field};
inline constexpr Option kColumnsOption{
    "--columns", ValueKind::list, "FIELD", "show these fields of --csv, in this order", "", Completes::field};
inline constexpr Option kCursorOption{"--cursor", ValueKind::text, "CURSOR",
                                      "continue where a page ended (its \"next\")"};

// Command::unfiltered of several commands.
inline constexpr std::string_view kOneJob =
    "it is about the one job that is named\nthe command jobs lists jobs by these filters";
inline constexpr std::string_view kSumsOfDays =
    "it adds up days, which do not know their jobs\nthe command jobs takes it; add --csv for sums of your "
    "own";
inline constexpr std::string_view kOfProjects =
    "what was learned belongs to projects, not to jobs\nthe command job shows what a job was given";
inline constexpr std::string_view kTwoMoments = "it compares two moments\ngive them as --from and --to";
inline constexpr std::string_view kWholeLog =
    "it is about the whole log\nthe command events takes these filters";

}  // namespace luzia
