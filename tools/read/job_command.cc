// job: shows everything about one job, now or in the past.
#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "adapters/agents/readable_line.h"
#include "engine/base/try.h"
#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/waiting_text.h"
#include "tools/read/beside_jobs.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr std::ptrdiff_t kLastLines = 10;
constexpr std::uint64_t kLookedBack = 64 << 10;
constexpr std::size_t kIndented = 12;  // narrower terminals get whole lines
constexpr std::string_view kShellAgent = "shell";

/// Prints who removed the job from all lists, if the events still show it. The card already says that the job
/// was removed.
Status print_remover(Session& session, Source& source, const view::Job& job) {
  wire::QueryT query = session.query(wire::View::why);
  query.filter->jobs = {std::string(text(job.id()))};
  const auto page = collect_pages(source, query, 0);
  const auto events = page ? events_of(*page) : Result<std::vector<const schema::Event*>>();
  const schema::Event* removal = nullptr;
  for (const schema::Event* event : events ? *events : std::vector<const schema::Event*>()) {
    const auto* fact = event->payload_as_JobEvent();
    if (fact != nullptr && fact->fact_as_JobRemoved() != nullptr) removal = event;
  }
  if (removal == nullptr) return {};
  const bool unicode = session.console().style().unicode;
  const std::string words = event_text(*removal) + ", by " + actor_text(*removal);
  return session.console().write(
      "\n" + make_harmless(words, {.keep_newlines = false, .keep_tabs = false, .unicode = unicode}) + "\n");
}

/// The lines of `output` as luzia logs shows them. `within_line`: it begins within a line, which is left out.
std::vector<std::string> shown_lines(std::string_view output, bool within_line, bool of_agent) {
  if (output.empty()) return {};
  if (within_line) output.remove_prefix(std::min(output.size() - 1, output.find('\n')) + 1);
  std::vector<std::string> lines;
  while (!output.empty()) {
    std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    while (line.ends_with('\r')) line.remove_suffix(1);
    auto readable = of_agent ? readable_lines(line) : std::nullopt;
    if (!readable) readable.emplace(1, without_terminal_marks(line.substr(line.rfind('\r') + 1)));
    for (std::string& each : *readable) lines.push_back(std::move(each));
  }
  return lines;
}

/// Prints the newest lines of the job's output. A failure to read them is left to luzia logs.
Status print_last_output(Session& session, Source& source, const view::Job& job) {
  const std::string id(text(job.id()));
  if (job.output_bytes() == 0 || job.files_gone_us() != 0 || !session.options().at.is_now()) return {};
  const std::uint64_t from = job.output_bytes() - std::min(job.output_bytes(), kLookedBack);
  const auto output = source.output_from(id, from);
  if (!output) return {};
  std::vector<std::string> lines = shown_lines(*output, from > 0, text(job.agent()) != kShellAgent);
  if (std::ssize(lines) > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  if (lines.empty()) return {};
  const TableStyle style = session.console().style();
  std::string out = "\nthe last lines of its output (all: luzia logs " + id + "):\n";
  for (const std::string& line : lines) {
    const std::string words = make_harmless(line, {.unicode = style.unicode});
    out += "  " + (style.width > kIndented ? fit_width(words, style.width - 2, style.unicode) : words) + "\n";
  }
  return session.console().write(out);
}

/// Prints the job's card, its newest output, its open questions and approvals, and who removed it.
Status print_card(Session& session, Source& source, const view::Job& job, const std::string& waits_for,
                  TimeUs as_of) {
  LUZIA_TRY(session.console().write(job_card(job, as_of, session.console().style(), waits_for)));
  LUZIA_TRY(print_last_output(session, source, job));
  if (job.questions_open() + job.approvals_open() > 0) {
    const auto asked = LUZIA_TRY(open_prompts_of(session, source, std::string(text(job.id()))));
    if (!asked.empty()) LUZIA_TRY(session.console().write("\n" + asked));
  }
  return job.removed_us() != 0 ? print_remover(session, source, job) : Status();
}

Result<int> run_job(Session& session) {
  auto source = LUZIA_TRY(session.source());
  const auto page = LUZIA_TRY(ask_job(session, *source, session.options().name));
  const auto as_of = LUZIA_TRY(session.seen_until());
  const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
  const view::Job& job = *jobs.front();
  const bool is_queued = job.state() == schema::JobState::queued;
  const auto waiting_page = LUZIA_TRY(is_queued ? ask_waiting(session, *source, std::string(text(job.id())))
                                                : Result<RowPage>(RowPage()));
  const auto waits = LUZIA_TRY(rows_of<view::Waiting>(waiting_page));
  const view::Waiting* waiting = waits.empty() ? nullptr : waits.front();
  const RowPage queued = waiting == nullptr ? ask_queue(session, *source, jobs) : RowPage();
  const QueueEntries queue = queue_of(queued);
  const auto* entry = entry_of(queue, job);
  Console& console = session.console();
  if (session.options().format == Format::json) {
    LUZIA_TRY(
        console.write_line(with_machine(job_json(job, as_of, waiting, entry), machine_of_row(session, job))));
  } else if (session.options().format == Format::csv) {
    LUZIA_TRY(console.write(jobs_table(jobs, as_of, Form::data).csv()));
  } else {
    if (const RowMachine* machine = machine_of_row(session, job); machine != nullptr)
      console.say_to_person("on " + make_harmless(machine_text(*machine, session.invocation().now())) + ":");
    LUZIA_TRY(print_card(session, *source, job,
                         waiting != nullptr ? waiting_text(*waiting, as_of)
                         : entry != nullptr ? std::string(text(entry->blocked_why()))
                                            : std::string(),
                         as_of));
    report_place(session, page);
  }
  report_unwatched(session, jobs, page.position);
  return 0;
}

constexpr Option kJobOptions[] = {kFleetOption, kSiteFilter, kAtOption, kCsvOption};

}  // namespace

const Command kJobCommand = {
    "job",
    "Look",
    "[JOB] [--at TIME]",
    "show everything about one job",
    "JOB is an id, the beginning of one, or @last (the default) for the newest. For people the "
    "last ten lines of its output follow. A job that is not here is looked for on the machines of "
    "[machines.NAME].",
    "luzia job @last\n"
    "luzia job 0kx8 --json\n"
    "luzia job 0kx8 --at 2026-11-21T14:05:00Z",
    kJobOptions,
    {0, 1, Completes::job},
    reading_where_it_is<run_job>,
    kNeedsStore,
    kOneJob,
    {},
    kLastJob};

}  // namespace luzia
