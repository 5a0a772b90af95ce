// status: what needs a person, what is at work, what waits, what has ended; now, or as it was.
#include <algorithm>
#include <ctime>

#include "adapters/files/out_file.h"
#include "engine/event/job_state.h"
#include "projections/rows/overview_parts.h"
#include "tools/cli/display.h"
#include "tools/read/beside_jobs.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/machines_source.h"
#include "tools/read/mirror_report.h"
#include "tools/read/overview.h"
#include "tools/read/recent_updates.h"
#include "tools/read/schedule_findings.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr std::size_t kDefaultRecent = 5;
constexpr std::size_t kLeastHeight = 10;
/// So many of those that ended last are looked at for alerts.
constexpr std::size_t kRecentWithAlerts = 100;

bool is_alert(const view::Job& job) {
  return ended_badly(job) || job.warnings() > 0 || job.errors() > 0 || job.issues() > 0;
}

/// How status was asked, beside the options of every reading command.
struct StatusWishes {
  bool alerts = false;      // only what went wrong
  bool only_count = false;  // a number, for a prompt or a bar
  std::string report;       // json or markdown; empty: none
  std::size_t recent = 0;   // ended jobs
  std::size_t height = 0;   // lines that it may take; 0: any number
};

/// People look at no more ended jobs than [limits] max_history.
StatusWishes wishes_of(Session& session) {
  Invocation& invocation = session.invocation();
  const Arguments& args = invocation.args();
  StatusWishes wishes;
  wishes.alerts = args.has("alerts");
  wishes.report = args.text("export");
  const bool for_people = session.options().format == Format::table && wishes.report.empty();
  wishes.only_count = args.has("quiet") && for_people;
  wishes.recent = session.options().limit.value_or(wishes.alerts ? kRecentWithAlerts : kDefaultRecent);
  if (!for_people) return wishes;
  const std::size_t most = args.has("all") ? kMaxLimit : shown_limits(invocation).history;
  if (args.has("all")) wishes.recent = kMaxLimit;
  const bool all_fit = args.has("all") || wishes.alerts || !session.console().is_terminal();
  // Above the next prompt, and what is said below the groups.
  if (!all_fit) wishes.height = std::max<std::size_t>(kLeastHeight, invocation.terminal().height) - 2;
  if (args.has("limit") && wishes.recent > most) {
    session.console().say("only the last " + std::to_string(most) +
                          " ended jobs are shown: [limits] max_history; all of them: " + session.name() +
                          " jobs --all");
  }
  wishes.recent = std::min(wishes.recent, most);
  return wishes;
}

wire::QueryT status_query(const Session& session, const StatusWishes& wishes) {
  wire::QueryT query = session.query(wire::View::overview);
  query.limit = static_cast<std::uint32_t>(std::min<std::size_t>(wishes.recent, kMaxLimit));
  // 0 would ask for the default number of ended jobs.
  query.filter->ended = wishes.recent != 0 && !wishes.only_count;
  // People are told how to see the rest of a long queue; a program takes what it is given.
  const bool for_people = session.options().format == Format::table && wishes.report.empty();
  query.long_queue = !for_people || !is_countable(*query.filter);
  query.ended_alerts = wishes.alerts;
  return query;
}

std::string default_report_name(TimeUs now, bool json) {
  const std::time_t seconds = static_cast<std::time_t>(now / kSecondUs);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char name[64];
  std::strftime(name, sizeof name, "luzia_status_%Y%m%d_%H%M%S", &local);
  return std::string(name) + (json ? ".json" : ".md");
}

Status write_report(Session& session, const std::string& report, TimeUs now, bool json) {
  const std::string path =
      session.options().out.empty() ? default_report_name(now, json) : session.options().out;
  if (path == "-") return session.console().write(report);
  auto file = OutFile::create(path);
  Status written = file ? file->write(report) : tl::unexpected(file.error());
  if (written) written = file->finish();
  return written ? session.console().write_line(path) : written;
}

/// What was found, as it was asked for.
struct Found {
  Overview overview;
  std::vector<AttentionGroup> groups;
  TimeUs as_of = 0;
};

Status print_groups(Session& session, const StatusWishes& wishes, const Found& found) {
  const auto& [overview, groups, as_of] = found;
  const StatusNotes& notes = overview.notes;
  std::vector<std::string> ids = jobs_of_rows(overview.jobs);
  std::ranges::copy(jobs_of_rows(notes.questions), std::back_inserter(ids));
  std::ranges::copy(jobs_of_rows(notes.approvals), std::back_inserter(ids));
  ShownRows shown(session, ids);
  const TableStyle style = shown.style();
  const std::string text = wishes.alerts ? alerts_text(overview.jobs, notes.alerts, style)
                           : is_compact(session.invocation())
                               ? status_text_compact(groups, notes, as_of, style)
                               : status_text(groups, notes, as_of, style, wishes.height);
  shown.keep();
  Status written = session.console().write(text);
  const bool no_jobs = notes.questions.empty() && notes.approvals.empty() && notes.manual_steps.empty() &&
                       std::ranges::all_of(groups, [](const auto& group) { return group.jobs.empty(); });
  if (wishes.alerts ? text.empty() : no_jobs) {
    session.console().say(wishes.alerts        ? "no alerts, no warnings, no errors"
                          : wishes.recent != 0 ? "no jobs yet: luzia PROJECT \"TASK\""
                                               : "no jobs now");
  }
  return written;
}

Status print_found(Session& session, const StatusWishes& wishes, const Found& found) {
  Console& console = session.console();
  const auto& [overview, groups, as_of] = found;
  const StatusNotes& notes = overview.notes;
  const Position position = overview.page.position;
  if (wishes.only_count) return console.write_line(std::to_string(needing_input(groups.front(), notes)));
  if (wishes.report == "json")
    return write_report(session, status_json(groups, notes, as_of, position) + "\n", as_of, true);
  if (!wishes.report.empty())
    return write_report(session, status_markdown(groups, notes, as_of), as_of, false);
  switch (session.options().format) {
    case Format::json:
      return console.write_line(status_json(groups, notes, as_of, position));
    case Format::csv:
      return console.write(
          chosen_columns(
              session, overview.jobs,
              Shapes<view::Job>{
                  "jobs", {}, [&](const auto& jobs, Form form) { return jobs_table(jobs, as_of, form); }, {}})
              .csv());
    case Format::table:
      break;
  }
  Status written = print_groups(session, wishes, found);
  report_place(session, overview.page);
  return written;
}

Result<Found> find_overview(Session& session, Source& source, const StatusWishes& wishes) {
  Found found;
  found.overview = LUZIA_TRY(ask_overview(source, status_query(session, wishes)));
  found.as_of = LUZIA_TRY(session.seen_until());
  Overview& overview = found.overview;
  if (MachinesSource* machines = session.machines()) {
    machines->name_rows(overview.notes);
    overview.notes.machines = &machines->machines();
  }
  if (wishes.alerts) std::erase_if(overview.jobs, [](const view::Job* job) { return !is_alert(*job); });
  found.groups = group_by_attention(overview.jobs, found.as_of);
  if (wishes.only_count) return found;
  if (overview.totals_missing)
    session.console().say("not all jobs are counted: a new version of luzia is rebuilding the totals");
  count_all(found.groups, overview.totals, wishes.recent > 0 && !wishes.alerts);
  return found;
}

/// Says below a list of the present which schedules lead to no job.
void report_schedules(Session& session, Source& source) {
  const Options& options = session.options();
  if (!options.at.is_now() || options.format != Format::table || session.machines() != nullptr) return;
  const Config* const config = session.invocation().config_of_daemon();
  if (config != nullptr && config->schedules.empty()) return;
  wire::QueryT query = view_query(wire::View::schedules);
  query.filter->projects = session.query(wire::View::schedules).filter->projects;
  const auto page = source.query(query);
  const auto rows = page ? rows_of<view::Schedule>(*page) : tl::unexpected(page.error());
  if (!rows) return;
  for (const ScheduleFinding& finding : schedule_findings(*rows)) {
    if (finding.bad) session.console().say(finding.what + "; luzia doctor says what to do");
  }
}

/// What stays on the screen is another command.
Result<int> run_live(Invocation& invocation) {
  const Command* const live = find_command(invocation.program(), "top");
  if (live != nullptr) return live->run(invocation);
  return fail(ErrorKind::usage, "bad_usage", "a store without a daemon does not change",
              "luzia top shows a daemon's");
}

/// People are shown no more updates than [limits] max_history.
Result<int> run_recent(Session& session) {
  Invocation& invocation = session.invocation();
  const Arguments& args = invocation.args();
  if (args.has("export")) {
    return fail(ErrorKind::usage, "bad_usage", "--recent lists updates, which no export holds",
                "--limit says how many ended jobs an export has; luzia events exports events");
  }
  std::size_t count = args.number("recent").value_or(0);
  if (const auto limit = session.options().limit.value_or(0); limit != 0) count = std::min(count, limit);
  const std::size_t most = shown_limits(invocation).history;
  if (session.options().format == Format::table && count > most) {
    session.console().say("only the last " + std::to_string(most) +
                          " updates are shown: [limits] max_history");
    count = most;
  }
  LUZIA_TRY(print_recent_updates(session, count, args.has("alerts")));
  return 0;
}

Result<int> run_status(Session& session) {
  if (!session.options().name.empty()) return kJobCommand.run(session.invocation());
  if (session.invocation().args().has("watch")) return run_live(session.invocation());
  if (!session.options().out.empty() && !session.invocation().args().has("export")) {
    return fail(ErrorKind::usage, "bad_usage", "--out says where an export goes, but there is no --export",
                "add --export json or --export markdown");
  }
  if (session.invocation().args().has("recent")) return run_recent(session);
  Source* const source = LUZIA_TRY(session.source());
  const StatusWishes wishes = wishes_of(session);
  const Found found = LUZIA_TRY(find_overview(session, *source, wishes));
  LUZIA_TRY(print_found(session, wishes, found));
  report_unwatched(session, found.overview.jobs, found.overview.page.position);
  if (!wishes.only_count && wishes.report.empty()) {
    report_schedules(session, *source);
    report_mirror_faults(session, found.overview.page.position);
  }
  return 0;
}

constexpr Option kStatusOptions[] = {
    {"--alerts", ValueKind::flag, "", "only alerts, warnings and errors; alerts that are over too"},
    {"--recent", ValueKind::number, "N",
     "only the last N updates, oldest first; with --alerts only warnings and errors"},
    {"--limit", ValueKind::number, "N",
     "how many of the jobs that ended last (default 5, with --alerts 100; to people at most [limits] "
     "max_history)"},
    {"-A,--all", ValueKind::flag, "", "all ended jobs (up to 1,000), however high the terminal is"},
    {"--watch", ValueKind::flag, "", "stay and show it live: the command top"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    kSinceFilter,
    kUntilFilter,
    kMachinesOption,
    {"--export", ValueKind::choice, "FORMAT", "write a report: json or markdown", "json|markdown"},
    {"-o,--out", ValueKind::text, "FILE", "with --export: where to (- for standard output)", "",
     Completes::file},
    kAtOption,
    kCsvOption,
};

}  // namespace

const Command kStatusCommand = {
    "status",
    "Look",
    "[JOB] [--alerts] [--recent N] [--limit N] [filters] [--at TIME] [--export FORMAT [--out FILE]]",
    "show the overview: what needs you, runs, waits, has ended",
    "On a terminal it fits the screen: what needs you stands last, above the prompt, and long groups are cut "
    "(--all shows them whole). In a pipe what needs you comes first, and nothing is cut for the screen. "
    "What has ended is counted for the last 24 hours; up to 10 more jobs that failed in that time are shown. "
    "luzia inbox says how to answer; luzia flow complete FLOW STEP reports a step of a flow as done. "
    "With -q only the number of jobs and flows that need a person is printed. With a JOB it is the same as "
    "the command job. An export goes to luzia_status_DATE_TIME.json (or .md) unless --out names a file.",
    "luzia status\n"
    "luzia status --alerts --project web\n"
    "luzia status --recent 10\n"
    "luzia status --at 14:05\n"
    "luzia status --export markdown --out -",
    kStatusOptions,
    {0, 1, Completes::job},
    reading_where_it_is<run_status>,
    kNeedsStore};

}  // namespace luzia
