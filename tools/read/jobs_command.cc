// jobs: lists jobs, now or in the past.
#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "projections/rows/names.h"
#include "projections/rows/pauses.h"
#include "tools/read/beside_jobs.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

std::string duration_between(TimeUs from, TimeUs to) {
  return from == 0 || to == 0 || to < from ? "" : format_duration(to - from);
}

Table timing_table(const std::vector<const view::Job*>& jobs, TimeUs now) {
  Table table({{"JOB"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true},
               {"STATE"},
               {.title = "QUEUED", .drops = 3},
               {.title = "WAITED", .align = Align::right},
               {.title = "RAN", .align = Align::right},
               {.title = "FOR PEOPLE", .align = Align::right, .drops = 4},
               {.title = "CPU", .align = Align::right, .drops = 2},
               {.title = "MEMORY", .align = Align::right, .drops = 1}});
  for (const view::Job* job : jobs) {
    const TimeUs started = job->first_started_us() != 0 ? job->first_started_us() : job->started_us();
    const TimeUs end = job->ended_us() != 0 ? job->ended_us() : now;
    const auto cpu = static_cast<TimeUs>(job->user_us() + job->system_us());
    const TimeUs waited = human_wait(*job, now);
    table.add({{std::string(text(job->id()))},
               {std::string(text(job->project()))},
               {std::string(state_name(job->state()))},
               {local_time(job->queued_us())},
               {duration_between(job->queued_us(), started != 0 ? started : end)},
               {duration_between(started, end)},
               {waited == 0 ? "" : format_duration(waited)},
               {cpu == 0 ? "" : format_duration(cpu)},
               {job->max_rss_kib() == 0 ? "" : std::to_string(job->max_rss_kib() / 1024) + " MiB"}});
  }
  return table;
}

/// Prints pauses on a terminal, to explain why no job starts. Failures of the query are ignored.
void report_pauses(Session& session, Source& source, TimeUs as_of) {
  const bool of_several = session.machines() != nullptr;
  if (of_several || !session.console().is_terminal() || session.options().format != Format::table) return;
  const auto page = ask_pauses(session, source);
  const auto pauses = page ? rows_of<view::QueueSwitch>(*page) : tl::unexpected(page.error());
  if (!pauses || page->type != wire::RowType::queue_switch) return;
  for (const view::QueueSwitch* pause : *pauses) session.console().say(pause_text(*pause, as_of));
}

Result<int> run_jobs(Session& session) {
  const Options& options = session.options();
  const bool timing = session.invocation().args().has("timing");
  if (!options.name.empty() && !timing) return kJobCommand.run(session.invocation());
  Source* const source = LUZIA_TRY(session.source());
  const std::size_t most = options.limit.value_or(kDefaultLimit);
  auto page = LUZIA_TRY(options.name.empty() ? collect_pages(*source, session.query(wire::View::jobs),
                                                             rows_to_ask(session, most))
                                             : ask_job(session, *source, options.name));
  const auto as_of = LUZIA_TRY(session.seen_until());
  LUZIA_TRY(sort_page(
      session, page, most,
      Shapes<view::Job>{"jobs", {}, [&](const auto& jobs, Form) { return jobs_data(jobs, as_of); }, {}}));
  const auto listed = LUZIA_TRY(rows_of<view::Job>(page));
  if (session.invocation().args().has("ids")) {
    std::string ids;
    for (const view::Job* job : listed) ids += std::string(text(job->id())) + "\n";
    LUZIA_TRY(session.console().write(ids));
    return 0;
  }
  const RowPage queued = ask_queue(session, *source, listed);
  const QueueEntries queue = queue_of(queued);
  const std::string when = session.invocation().args().has("at") ? "then" : "now";
  const std::string none =
      options.filter.ended ? "no such jobs"
                           : "no active jobs " + when + "; ended ones too: " + session.name() + " jobs --all";
  const Shapes<view::Job> shapes = {
      "jobs", [&](const view::Job& job) { return job_json(job, as_of, nullptr, entry_of(queue, job)); },
      [&](const auto& jobs, Form form) {
        return timing && form == Form::people ? timing_table(jobs, as_of)
                                              : jobs_table(jobs, as_of, form, queue);
      },
      none};
  LUZIA_TRY(print_list(session, page, shapes));
  if (options.name.empty()) report_pauses(session, *source, as_of);
  report_unwatched(session, listed, page.position);
  return 0;
}

constexpr Option kJobsOptions[] = {
    {"-A,--all", ValueKind::flag, "", "also list finished jobs"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kScheduleFilter,
    kModelFilter,
    kStepFilter,
    kStateFilter,
    kSinceFilter,
    kUntilFilter,
    kEndedSinceFilter,
    kEndedBeforeFilter,
    kLimitOption,
    kCursorOption,
    kSortOption,
    kColumnsOption,
    {"--timing", ValueKind::flag, "", "show when each job was queued, and how long it waited and ran"},
    {"--ids", ValueKind::flag, "", "print only ids, one per line"},
    kMachinesOption,
    kFleetOption,
    kSiteFilter,
    kAtOption,
    kCsvOption,
};

}  // namespace

const Command kJobsCommand = {
    "jobs",
    "Look",
    "[JOB] [--all] [filters] [--sort FIELD] [--columns FIELD,...] [--timing] [--limit N] [--at TIME]",
    "list jobs, newest first",
    "Finished jobs are listed only with --all, --job, --state, --since, --until, --ended-since or "
    "--ended-before; with the last two the last end comes first. "
    "With a JOB the command is the same as luzia job. --sort and --columns take "
    "the fields that --csv prints. STATE proved is a completed job whose checks passed (--verify), refuted a "
    "failed one whose checks did not; --state completed and failed include them.",
    "luzia jobs\n"
    "luzia jobs --all --project web --limit 200\n"
    "luzia jobs --state failed,lost --since yesterday --json\n"
    "luzia jobs --ids --state failed --since 8h\n"
    "luzia jobs --ended-since 2026-01-30 --ended-before 2026-01-31\n"
    "luzia jobs --all --sort -cost,started --columns id,cost,task\n"
    "luzia jobs --at 14:05",
    kJobsOptions,
    {0, 1, Completes::job},
    reading_where_it_is<run_jobs>,
    kNeedsStore,
    {},
    {},
    {},
    [](std::string_view) { return jobs_data({}, 0).columns(); }};

}  // namespace luzia
