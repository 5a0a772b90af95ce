// status, jobs, job, queue: the jobs as they are, or as they were.
#include "engine/base/local_time.h"
#include "projections/rows/attention.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/listing.h"

namespace luzia {
namespace {

constexpr std::size_t kRecentEnded = 10;

}  // namespace

void tell_place(Session& session, const RowPage& page) {
  if (!session.options().at.is_now()) {
    session.console().say("as of position " + std::to_string(page.position));
  } else if (session.last_event()) {
    session.console().say_to_person("as of the last event, " + format_local(*session.last_event()));
  }
  if (!page.next.empty()) session.console().say("more: --cursor " + page.next);
}

namespace {

/// What runs by rows that nobody keeps may have ended long ago. A person was told that no daemon runs
/// already.
void tell_unwatched(Session& session, const std::vector<const view::Job*>& jobs, Position position) {
  const Options& options = session.options();
  if (!options.at.is_now() || options.format == Format::json) return;
  using enum schema::JobState;
  const bool is_live = std::ranges::any_of(jobs, [](const view::Job* job) {
    return job->state() == starting || job->state() == running || job->state() == waiting;
  });
  const bool is_told = session.console().has_person() && !options.offline;
  if (!is_live || is_told || !session.is_unwatched()) return;
  const auto& last = session.last_event();
  session.console().say("luzia-query: no luziad runs on this store: as of position " +
                        std::to_string(position) + (last ? ", " + format_local(*last) : "") +
                        "; what is shown as running may have ended");
}

/// The alerts that are open, or were. A daemon that knows of none says so in its own way.
Result<RowPage> ask_alerts(Session& session, Source& source) {
  wire::QueryT query = session.query(wire::View::alerts);
  query.limit = 0;
  query.cursor.clear();
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = false;
  auto page = source.query(query);
  if (!page && page.error().code != "unknown_view") return page;
  return page && page->type == wire::RowType::alert
             ? std::move(page)
             : Result<RowPage>(RowPage{wire::RowType::alert, {}, {}, 0});
}

/// What stands beside the jobs of the status, kept alive.
struct NotePages {
  RowPage switches, alerts, questions, approvals, flows, queue;
};

/// What is open of a view of questions, approvals or flows.
Result<RowPage> ask_inputs(Session& session, Source& source, wire::View view, const char* text = "") {
  wire::QueryT query = session.query(view);
  query.text = text;
  query.cursor.clear();
  query.filter->ended = false;
  query.filter->since_us = query.filter->until_us = 0;
  auto page = collect_pages(source, query, 0);
  // An older daemon knows of none, and one that rebuilds its views not yet.
  const bool is_known =
      page || (page.error().code != "unknown_view" && page.error().code != "views_rebuilding");
  return is_known ? std::move(page) : Result<RowPage>(RowPage());
}

/// Beyond their project. Gates and steps of flows are of no job.
bool filters_jobs(const wire::FilterT& filter) {
  return !filter.agents.empty() || !filter.tags.empty() || !filter.states.empty() || !filter.jobs.empty();
}

/// Why those of these jobs that are queued wait, in rows of view queue; none where nobody can tell.
RowPage ask_queue(Session& session, Source& source, const std::vector<const view::Job*>& jobs) {
  wire::QueryT query = session.query(wire::View::queue);
  const auto queued = queued_among(jobs);
  if (queued.empty()) return {};
  query.cursor.clear();
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = queued;
  auto page = collect_pages(source, query, 0);
  return page ? std::move(*page) : RowPage();
}

QueueEntries queue_of(const RowPage& page) {
  const auto entries = rows_of<view::QueueEntry>(page);
  return entries ? by_job(*entries) : QueueEntries();
}

/// A view of the past is dear, so what nobody asks is not looked for.
Result<NotePages> ask_notes(Session& session, Source& source, const std::vector<const view::Job*>& jobs) {
  NotePages pages;
  std::uint32_t questions = 0, approvals = 0;
  for (const view::Job* job : jobs) {
    questions += job->questions_open();
    approvals += job->approvals_open();
  }
  auto switches = source.query(session.query(wire::View::switches));
  if (!switches) return tl::unexpected(switches.error());
  pages.switches = std::move(*switches);
  auto alerts = ask_alerts(session, source);
  if (!alerts) return tl::unexpected(alerts.error());
  pages.alerts = std::move(*alerts);
  pages.queue = ask_queue(session, source, jobs);
  const bool flows_too = !filters_jobs(*session.query(wire::View::flows).filter);
  if (questions > 0) {
    auto asked = ask_inputs(session, source, wire::View::questions);
    if (!asked) return tl::unexpected(asked.error());
    pages.questions = std::move(*asked);
  }
  if (approvals > 0 || flows_too) {
    auto asked = ask_inputs(session, source, wire::View::approvals);
    if (!asked) return tl::unexpected(asked.error());
    pages.approvals = std::move(*asked);
  }
  if (flows_too) {
    auto asked = ask_inputs(session, source, wire::View::flows, kFlowsWithManualSteps);
    if (!asked) return tl::unexpected(asked.error());
    pages.flows = std::move(*asked);
  }
  return pages;
}

Result<StatusNotes> notes_of(const NotePages& pages) {
  auto pauses = rows_of<view::QueueSwitch>(pages.switches);
  if (!pauses) return tl::unexpected(pauses.error());
  auto alerts = rows_of<view::Alert>(pages.alerts);
  if (!alerts) return tl::unexpected(alerts.error());
  auto questions = rows_of<view::Question>(pages.questions);
  if (!questions) return tl::unexpected(questions.error());
  auto approvals = rows_of<view::Approval>(pages.approvals);
  if (!approvals) return tl::unexpected(approvals.error());
  const auto flows = rows_of<view::Flow>(pages.flows);
  if (!flows) return tl::unexpected(flows.error());
  return StatusNotes{std::move(*pauses),    std::move(*alerts),      std::move(*questions),
                     std::move(*approvals), manual_steps_of(*flows), queue_of(pages.queue)};
}

/// Totals are counted per project: those of one agent, tag or time are not known.
bool is_countable(const wire::FilterT& filter) {
  return !filters_jobs(filter) && filter.since_us == 0 && filter.until_us == 0;
}

/// The groups name the first of a long queue, and of what has ended the last.
Status count_named(Session& session, Source& source, const wire::QueryT& asked,
                   std::vector<AttentionGroup>& groups) {
  const wire::FilterT& filter = *asked.filter;
  if (!is_countable(filter) || !names_some(groups, filter.ended ? asked.limit : kNoneEnded)) return {};
  const auto page = collect_pages(source, session.query(wire::View::totals), 0);
  if (!page && page.error().code == "views_rebuilding") {
    session.console().say("not all jobs are counted: " + page.error().message);
    return {};
  }
  if (!page) return tl::unexpected(page.error());
  const auto totals = rows_of<view::ProjectTotals>(*page);
  if (!totals) return tl::unexpected(totals.error());
  count_all(groups, *totals, filter.ended);
  return {};
}

}  // namespace

Result<int> run_status(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  wire::QueryT query = session.query(wire::View::status);
  const std::size_t recent = session.options().limit.value_or(kRecentEnded);
  query.limit = static_cast<std::uint32_t>(std::min<std::size_t>(recent, kMaxLimit));
  query.filter->ended = recent != 0;
  // Where it cannot be told how many more there are; and a program takes what it is given.
  const bool for_people = session.options().format == Format::table;
  if (!for_people || !is_countable(*query.filter)) query.text = kLongStatus;
  const auto page = (*source)->query(query);
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto jobs = rows_of<view::Job>(*page);
  if (!jobs) return tl::unexpected(jobs.error());
  auto groups = group_by_attention(*jobs, *as_of);
  if (Status counted = count_named(session, **source, query, groups); !counted) {
    return tl::unexpected(counted.error());
  }
  const auto note_pages = ask_notes(session, **source, *jobs);
  if (!note_pages) return tl::unexpected(note_pages.error());
  const auto notes = notes_of(*note_pages);
  if (!notes) return tl::unexpected(notes.error());
  Console& console = session.console();
  Status written;
  switch (session.options().format) {
    case Format::json:
      written = console.write_line(status_json(groups, *notes, *as_of, page->position));
      break;
    case Format::csv:
      written = console.write(jobs_table(*jobs, *as_of, Form::data).csv());
      break;
    case Format::table:
      written = console.write(status_text(groups, *notes, *as_of, console.style()));
      if (jobs->empty() && waiting_flows(*notes) == 0) console.say("no jobs");
      tell_place(session, *page);
      break;
  }
  if (!written) return tl::unexpected(written.error());
  tell_unwatched(session, *jobs, page->position);
  return 0;
}

Result<int> run_jobs(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto page = collect_pages(**source, session.query(wire::View::jobs),
                                  session.options().limit.value_or(kDefaultLimit));
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto listed = rows_of<view::Job>(*page);
  if (!listed) return tl::unexpected(listed.error());
  const RowPage queued = ask_queue(session, **source, *listed);
  const QueueEntries queue = queue_of(queued);
  const Shapes<view::Job> shapes = {
      "jobs", [&](const view::Job& job) { return job_json(job, *as_of, nullptr, entry_of(queue, job)); },
      [&](const auto& jobs, Form form) { return jobs_table(jobs, *as_of, form, queue); },
      session.options().filter.ended ? "no such jobs" : "no live jobs; --all shows those that have ended"};
  if (Status printed = print_list(session, *page, shapes); !printed) return tl::unexpected(printed.error());
  tell_unwatched(session, *listed, page->position);
  return 0;
}

Result<int> run_job(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  wire::QueryT query = session.query(wire::View::jobs);
  query.filter->jobs = {session.options().name};
  query.limit = 1;
  const auto page = (*source)->query(query);
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto jobs = rows_of<view::Job>(*page);
  if (!jobs) return tl::unexpected(jobs.error());
  if (jobs->empty()) {
    return fail(
        ErrorKind::not_found, "no_such_job",
        "there was no job '" + session.options().name + "' at position " + std::to_string(page->position),
        "without --at it is shown as it is now");
  }
  const view::Job& job = *jobs->front();
  const RowPage queued = ask_queue(session, **source, *jobs);
  const QueueEntries queue = queue_of(queued);
  const auto* entry = entry_of(queue, job);
  Console& console = session.console();
  Status written;
  switch (session.options().format) {
    case Format::json:
      written = console.write_line(job_json(job, *as_of, nullptr, entry));
      break;
    case Format::csv:
      written = console.write(jobs_table(*jobs, *as_of, Form::data).csv());
      break;
    case Format::table:
      written = console.write(job_card(job, *as_of, console.style(),
                                       entry == nullptr ? std::string_view() : text(entry->blocked_why())));
      tell_place(session, *page);
      break;
  }
  if (!written) return tl::unexpected(written.error());
  tell_unwatched(session, *jobs, page->position);
  return 0;
}

Result<int> run_queue(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto page = collect_pages(**source, session.query(wire::View::queue),
                                  session.options().limit.value_or(kDefaultLimit));
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const Shapes<view::QueueEntry> shapes = {
      "queue", queue_entry_json,
      [&](const auto& entries, Form form) { return queue_table(entries, *as_of, form); },
      "the queue is empty"};
  if (Status printed = print_list(session, *page, shapes); !printed) return tl::unexpected(printed.error());
  return 0;
}

}  // namespace luzia
