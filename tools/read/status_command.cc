// status: what needs a person, what is at work, what waits, what has ended; now, or as it was.
#include <algorithm>
#include <ctime>
#include <set>

#include "adapters/files/out_file.h"
#include "engine/event/job_state.h"
#include "tools/cli/display.h"
#include "tools/read/beside_jobs.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::size_t kDefaultRecent = 5;
/// So many of those that ended last are looked at for alerts.
constexpr std::size_t kRecentWithAlerts = 100;

/// What somebody ended by hand is no news to anybody.
bool is_cancelled(const view::Job& job) {
  return job.reason() == schema::EndReason::cancelled ||
         job.reason() == schema::EndReason::cancelled_before_start;
}

bool is_alert(const view::Job& job) {
  const bool bad_end =
      is_terminal(job.state()) && job.state() != schema::JobState::completed && !is_cancelled(job);
  return bad_end || job.warnings() > 0 || job.errors() > 0 || job.issues() > 0;
}

/// How status was asked, beside the options of every reading command.
struct StatusWishes {
  bool alerts = false;      // only what went wrong
  bool only_count = false;  // a number, for a prompt or a bar
  std::string report;       // json or markdown; empty: none
  std::size_t recent = 0;   // ended jobs
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
  const std::size_t most = shown_limits(invocation).history;
  if (args.has("recent") && wishes.recent > most) {
    session.console().say("only the last " + std::to_string(most) +
                          " ended jobs are shown: [limits] max_history; all of them: " + session.name() +
                          " jobs --all");
  }
  wishes.recent = std::min(wishes.recent, most);
  return wishes;
}

/// What stands beside the jobs of the status, kept alive.
struct NotePages {
  RowPage switches, alerts, questions, approvals, flows, queue;
};

/// The machine's alerts: those that are open, `over`: the last of each kind too. An older daemon knows of
/// none.
Result<RowPage> ask_alerts(Session& session, Source& source, bool over) {
  wire::QueryT query = session.query(wire::View::alerts);
  query.cursor.clear();
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = over;
  auto page = source.query(query);
  if (!page && page.error().code != "unknown_view") return page;
  return page && page->type == wire::RowType::alert ? std::move(page) : Result<RowPage>(RowPage());
}

/// A view of the past is dear, so what nobody asks is not looked for.
Result<NotePages> ask_notes(Session& session, Source& source, const std::vector<const view::Job*>& jobs,
                            bool alerts_too) {
  const bool is_now = session.options().at.is_now();
  bool questions = is_now, approvals = is_now;
  for (const view::Job* job : jobs) {
    questions = questions || job->questions_open() > 0;
    approvals = approvals || job->approvals_open() > 0;
  }
  const bool flows = !filters_jobs(session.options().filter);
  NotePages pages;
  const auto ask = [](Result<RowPage> asked, RowPage& page) -> Status {
    if (!asked) return tl::unexpected(asked.error());
    page = std::move(*asked);
    return {};
  };
  Status done = ask(ask_pauses(session, source), pages.switches);
  if (done) done = ask(ask_alerts(session, source, alerts_too), pages.alerts);
  if (done && questions) done = ask(ask_open(session, source, wire::View::questions), pages.questions);
  if (done && (approvals || flows))
    done = ask(ask_open(session, source, wire::View::approvals), pages.approvals);
  if (done && flows)
    done = ask(ask_open(session, source, wire::View::flows, kFlowsWithManualSteps), pages.flows);
  if (!done) return tl::unexpected(done.error());
  pages.queue = ask_queue(session, source, jobs);
  return pages;
}

/// Rows of a page that is of them; an older daemon answers with others.
template <class Row>
Result<std::vector<const Row*>> rows_if(const RowPage& page, wire::RowType type) {
  return page.type == type ? rows_of<Row>(page) : Result<std::vector<const Row*>>(std::vector<const Row*>());
}

Result<StatusNotes> notes_of(const NotePages& pages) {
  auto pauses = rows_if<view::QueueSwitch>(pages.switches, wire::RowType::queue_switch);
  if (!pauses) return tl::unexpected(pauses.error());
  auto alerts = rows_if<view::Alert>(pages.alerts, wire::RowType::alert);
  if (!alerts) return tl::unexpected(alerts.error());
  auto questions = rows_if<view::Question>(pages.questions, wire::RowType::question);
  if (!questions) return tl::unexpected(questions.error());
  auto approvals = rows_if<view::Approval>(pages.approvals, wire::RowType::approval);
  if (!approvals) return tl::unexpected(approvals.error());
  const auto flows = rows_if<view::Flow>(pages.flows, wire::RowType::flow);
  if (!flows) return tl::unexpected(flows.error());
  return StatusNotes{std::move(*pauses),    std::move(*alerts),      std::move(*questions),
                     std::move(*approvals), manual_steps_of(*flows), queue_of(pages.queue)};
}

/// Totals are counted per project: those of one agent, tag or time are not known.
bool is_countable(const wire::FilterT& filter) {
  return !filters_jobs(filter) && filter.since_us == 0 && filter.until_us == 0;
}

/// The groups name the first of a long queue, and of what has ended the last.
Status count_named(Session& session, Source& source, const StatusWishes& wishes,
                   std::vector<AttentionGroup>& groups) {
  const bool shows_ended = wishes.recent > 0 && !wishes.alerts;
  if (!is_countable(session.options().filter) ||
      !names_some(groups, shows_ended ? wishes.recent : kNoneEnded)) {
    return {};
  }
  const auto page = collect_pages(source, session.query(wire::View::totals), 0);
  if (!page && page.error().code == "views_rebuilding") {
    session.console().say("not all jobs are counted: " + page.error().message);
    return {};
  }
  if (!page) return tl::unexpected(page.error());
  const auto totals = rows_of<view::ProjectTotals>(*page);
  if (!totals) return tl::unexpected(totals.error());
  count_all(groups, *totals, shows_ended);
  return {};
}

/// How many jobs and flows need a person.
std::size_t count_needy(const AttentionGroup& needs_input, const StatusNotes& notes) {
  std::set<std::string_view> jobs;
  for (const view::Job* job : needs_input.jobs) jobs.insert(text(job->id()));
  // Queued ones were not asked for.
  for (const view::Question* question : notes.questions) jobs.insert(text(question->job()));
  for (const view::Approval* approval : notes.approvals) {
    if (!text(approval->job()).empty()) jobs.insert(text(approval->job()));
  }
  return jobs.size() + waiting_flows(notes);
}

wire::QueryT status_query(const Session& session, const StatusWishes& wishes) {
  wire::QueryT query = session.query(wire::View::status);
  query.limit = static_cast<std::uint32_t>(std::min<std::size_t>(wishes.recent, kMaxLimit));
  // 0 would ask for the default number of ended jobs.
  query.filter->ended = wishes.recent != 0 && !wishes.only_count;
  // People are told how to see the rest of a long queue; a program takes what it is given.
  const bool for_people = session.options().format == Format::table && wishes.report.empty();
  if (!for_people || !is_countable(*query.filter)) query.text = kLongStatus;
  if (wishes.only_count) {
    using enum schema::JobState;
    query.filter->states = {starting, running, waiting, parked};
  }
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

Status print_groups(Session& session, const StatusWishes& wishes, const std::vector<const view::Job*>& jobs,
                    const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs as_of) {
  std::vector<std::string> ids = jobs_of_rows(jobs);
  std::ranges::copy(jobs_of_rows(notes.questions), std::back_inserter(ids));
  std::ranges::copy(jobs_of_rows(notes.approvals), std::back_inserter(ids));
  ShownRows shown(session, ids);
  const TableStyle style = shown.style();
  const std::string text = wishes.alerts ? alerts_text(jobs, notes.alerts, style)
                           : is_compact(session.invocation())
                               ? status_text_compact(groups, notes, as_of, style)
                               : status_text(groups, notes, as_of, style);
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

/// What was found, as it was asked for.
struct Overview {
  RowPage page;
  std::vector<const view::Job*> jobs;
  std::vector<AttentionGroup> groups;
  NotePages note_pages;
  StatusNotes notes;
  TimeUs as_of = 0;
};

Status print_overview(Session& session, const StatusWishes& wishes, const Overview& found) {
  Console& console = session.console();
  const auto& [page, jobs, groups, note_pages, notes, as_of] = found;
  if (wishes.only_count) return console.write_line(std::to_string(count_needy(groups.front(), notes)));
  const bool json = wishes.report == "json";
  if (json)
    return write_report(session, status_json(groups, notes, as_of, page.position) + "\n", as_of, true);
  if (!wishes.report.empty())
    return write_report(session, status_markdown(groups, notes, as_of), as_of, false);
  switch (session.options().format) {
    case Format::json:
      return console.write_line(status_json(groups, notes, as_of, page.position));
    case Format::csv:
      return console.write(jobs_table(jobs, as_of, Form::data).csv());
    case Format::table:
      break;
  }
  Status written = print_groups(session, wishes, jobs, groups, notes, as_of);
  tell_place(session, page);
  return written;
}

Status find_overview(Session& session, Source& source, const StatusWishes& wishes, Overview& found) {
  auto page = source.query(status_query(session, wishes));
  if (!page) return tl::unexpected(page.error());
  found.page = std::move(*page);
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  found.as_of = *as_of;
  auto jobs = rows_of<view::Job>(found.page);
  if (!jobs) return tl::unexpected(jobs.error());
  found.jobs = std::move(*jobs);
  if (wishes.alerts) std::erase_if(found.jobs, [](const view::Job* job) { return !is_alert(*job); });
  found.groups = group_by_attention(found.jobs, found.as_of);
  auto pages = ask_notes(session, source, found.jobs, wishes.alerts);
  if (!pages) return tl::unexpected(pages.error());
  found.note_pages = std::move(*pages);
  auto notes = notes_of(found.note_pages);
  if (!notes) return tl::unexpected(notes.error());
  found.notes = std::move(*notes);
  return wishes.only_count ? Status() : count_named(session, source, wishes, found.groups);
}

Result<int> run_status(Session& session) {
  if (!session.options().name.empty()) return kJobCommand.run(session.invocation());
  if (!session.options().out.empty() && !session.invocation().args().has("export")) {
    return fail(ErrorKind::usage, "bad_usage", "--out says where an export goes, but there is no --export",
                "add --export json or --export markdown");
  }
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const StatusWishes wishes = wishes_of(session);
  Overview found;
  Status done = find_overview(session, **source, wishes, found);
  if (done) done = print_overview(session, wishes, found);
  if (done) tell_unwatched(session, found.jobs, found.page.position);
  if (!done) return tl::unexpected(done.error());
  return 0;
}

constexpr Option kStatusOptions[] = {
    {"--alerts", ValueKind::flag, "", "only alerts, warnings and errors; alerts that are over too"},
    {"--recent", ValueKind::number, "N",
     "how many ended jobs (default 5, with --alerts 100; to people at most [limits] max_history)"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    kSinceFilter,
    kUntilFilter,
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
    "[JOB] [--alerts] [--recent N] [filters] [--at TIME] [--export FORMAT [--out FILE]]",
    "show the overview: what needs you, runs, waits, has ended",
    "What is wrong with the machine stands on top, then jobs that need input with what they ask: luzia "
    "questions and luzia approvals say how to answer, luzia flow complete FLOW STEP says that a step is "
    "done. "
    "With -q only the number of jobs and flows that need a person is printed. With a JOB it is the same as "
    "the command job. An export goes to luzia_status_DATE_TIME.json (or .md) unless --out names a file.",
    "luzia status\n"
    "luzia status --alerts --project web\n"
    "luzia status --at 14:05\n"
    "luzia status --export markdown --out -",
    kStatusOptions,
    0,
    1,
    Completes::job,
    reading<run_status>,
    kNeedsStore};

}  // namespace luzia
