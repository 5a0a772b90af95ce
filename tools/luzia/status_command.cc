// status: what needs a person, what is at work, what waits, what has ended.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <set>

#include "adapters/files/out_file.h"
#include "engine/event/job_state.h"
#include "projections/query.h"
#include "projections/rows/attention.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/display.h"
#include "tools/luzia/families.h"
#include "tools/luzia/open_inputs.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDefaultRecent = 5;
/// So many of those that ended last are looked at for alerts.
constexpr std::uint64_t kRecentWithAlerts = 100;
constexpr std::uint32_t kMostProjects = 1'000;

constexpr Option kStatusOptions[] = {
    {"--alerts", ValueKind::flag, "", "only alerts, warnings and errors; alerts that are over too"},
    {"--recent", ValueKind::number, "N",
     "how many ended jobs (default 5, with --alerts 100; to people at most [limits] max_history)"},
    kProjectFilter,
    {"--export", ValueKind::choice, "FORMAT", "write a report: json or markdown", "json|markdown"},
    {"-o,--out", ValueKind::text, "FILE", "with --export: where to (- for standard output)", "",
     Completes::file},
};

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

std::string default_export_name(TimeUs now, bool json) {
  const std::time_t seconds = static_cast<std::time_t>(now / kSecondUs);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char name[64];
  std::strftime(name, sizeof name, "luzia_status_%Y%m%d_%H%M%S", &local);
  return std::string(name) + (json ? ".json" : ".md");
}

Result<int> write_report(Invocation& invocation, const std::vector<AttentionGroup>& groups,
                         const StatusNotes& notes, std::uint64_t position) {
  const bool json = invocation.args().text("export") == "json";
  const TimeUs now = invocation.now();
  const std::string report =
      json ? status_json(groups, notes, now, position) + "\n" : status_markdown(groups, notes, now);
  const std::string path =
      invocation.args().has("out") ? invocation.args().text("out") : default_export_name(now, json);
  if (path == "-") {
    print(report);
    return 0;
  }
  auto file = OutFile::create(path);
  Status written = file ? file->write(report) : tl::unexpected(file.error());
  if (written) {
    written = file->finish();
  }
  if (!written) {
    return tl::unexpected(written.error());
  }
  print_line(path);
  return 0;
}

/// The groups name the first of a long queue, and of what has ended the last.
Status count_named(Invocation& invocation, Client& client, std::uint64_t recent,
                   std::vector<AttentionGroup>& groups) {
  const bool shows_ended = recent > 0 && !invocation.args().has("alerts");
  if (!names_some(groups, shows_ended ? recent : kNoneEnded)) {
    return {};
  }
  wire::QueryT query;
  query.view = wire::View::totals;
  query.limit = kMostProjects;
  query.filter = filter_of(invocation.args());
  const auto page = ask_rows(invocation, client, query);
  if (!page && page.error().code == "views_rebuilding") {
    invocation.say("not all jobs are counted: " + page.error().message);
    return {};
  }
  if (!page) {
    return tl::unexpected(page.error());
  }
  count_all(groups, page->as<view::ProjectTotals>(), shows_ended);
  return {};
}

/// How many ended jobs are shown: people look at no more than [limits] max_history.
std::uint64_t recent_of(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const std::uint64_t wanted =
      args.number("recent").value_or(args.has("alerts") ? kRecentWithAlerts : kDefaultRecent);
  if (invocation.json() || args.has("export")) return wanted;
  const std::uint64_t most = shown_limits(invocation).history;
  if (args.has("recent") && wanted > most) {
    invocation.say("only the last " + std::to_string(most) +
                   " ended jobs are shown: [limits] max_history; all of them: luzia jobs --all");
  }
  return std::min(wanted, most);
}

void print_groups(Invocation& invocation, const std::vector<const view::Job*>& jobs,
                  const std::vector<AttentionGroup>& groups, const StatusNotes& notes) {
  const TableStyle style = invocation.terminal().style();
  const std::string text = invocation.args().has("alerts") ? alerts_text(jobs, notes.alerts, style)
                           : is_compact(invocation)
                               ? status_text_compact(groups, notes, invocation.now(), style)
                               : status_text(groups, notes, invocation.now(), style);
  print(text);
  const bool no_jobs = notes.questions.empty() && notes.approvals.empty() && notes.manual_steps.empty() &&
                       std::ranges::all_of(groups, [](const auto& group) { return group.jobs.empty(); });
  if (invocation.args().has("alerts") ? text.empty() : no_jobs) {
    const bool all = invocation.args().number("recent").value_or(kDefaultRecent) != 0;
    invocation.say(invocation.args().has("alerts") ? "no alerts, no warnings, no errors"
                   : all                           ? "no jobs yet: luzia PROJECT \"TASK\""
                                                   : "no jobs now");
  }
}

/// The machine's alerts: those that are open, with --alerts the last of each kind that are over too. An older
/// daemon knows of none.
Result<std::optional<Page>> ask_alerts(Invocation& invocation, Client& client) {
  wire::QueryT query;
  query.view = wire::View::alerts;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = invocation.args().has("alerts");
  auto page = ask_rows(invocation, client, query);
  if (page) return std::optional<Page>(std::move(*page));
  if (page.error().code == "unknown_view") return std::optional<Page>();
  return tl::unexpected(page.error());
}

/// For a prompt or a bar: how many jobs and flows need a person.
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

wire::QueryT status_query(const Invocation& invocation, std::uint64_t recent, bool only_count) {
  wire::QueryT query;
  query.view = wire::View::status;
  query.filter = filter_of(invocation.args());
  query.limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(recent, 1'000));
  // 0 would ask for the default number of ended jobs.
  query.filter->ended = recent != 0 && !only_count;
  // People are told how to see the rest of a long queue; a program takes what it is given.
  if (invocation.json() || invocation.args().has("export")) query.text = kLongStatus;
  if (only_count) {
    using enum schema::JobState;
    query.filter->states = {starting, running, waiting, parked};
  }
  return query;
}

Result<int> run_status(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (!args.positionals().empty()) {
    return kJobCommand.run(invocation);
  }
  if (args.has("out") && !args.has("export")) {
    return fail(ErrorKind::usage, "bad_usage", "--out says where an export goes, but there is no --export",
                "add --export json or --export markdown");
  }
  auto client = connect_to_ask(invocation);
  if (!client) {
    return tl::unexpected(client.error());
  }
  const std::uint64_t recent = recent_of(invocation);
  const bool only_count = args.has("quiet") && !invocation.json() && !args.has("export");
  const auto page = ask_rows(invocation, *client, status_query(invocation, recent, only_count));
  if (!page) {
    return tl::unexpected(page.error());
  }
  const auto switches = ask_rows(invocation, *client, pauses_query(args));
  if (!switches) {
    return tl::unexpected(switches.error());
  }
  auto jobs = page->as<view::Job>();
  if (args.has("alerts")) std::erase_if(jobs, [](const view::Job* job) { return !is_alert(*job); });
  const auto alerts_page = ask_alerts(invocation, *client);
  if (!alerts_page) {
    return tl::unexpected(alerts_page.error());
  }
  // Of flows too: their gates are no job's.
  const auto inputs = ask_open_inputs(invocation, *client, *filter_of(args));
  if (!inputs) {
    return tl::unexpected(inputs.error());
  }
  auto steps = ask_manual_steps(invocation, *client, *filter_of(args));
  if (!steps) return tl::unexpected(steps.error());
  const auto queue = ask_queue(*client, jobs);
  const StatusNotes notes{
      pauses_of(switches), *alerts_page ? (*alerts_page)->as<view::Alert>() : ShownAlerts(),
      inputs->questions,   inputs->approvals,
      std::move(*steps),   queue_of(queue)};
  auto groups = group_by_attention(jobs, invocation.now());
  if (only_count) {
    print_line(std::to_string(count_needy(groups.front(), notes)));
    return 0;
  }
  if (auto counted = count_named(invocation, *client, recent, groups); !counted) {
    return tl::unexpected(counted.error());
  }
  if (args.has("export")) {
    return write_report(invocation, groups, notes, page->position());
  }
  if (invocation.json()) {
    print_line(status_json(groups, notes, invocation.now(), page->position()));
  } else {
    print_groups(invocation, jobs, groups, notes);
  }
  return 0;
}

}  // namespace

const Command kStatusCommand = {
    "status",
    "Look",
    "[JOB] [--alerts] [--recent N] [--project NAME] [--export FORMAT [--out FILE]]",
    "the overview: what needs you, works, waits, has ended",
    "What is wrong with the machine stands on top, then jobs that need input with what they ask: luzia "
    "questions and luzia approvals say how to answer, luzia flow complete FLOW STEP says that a step is "
    "done. "
    "With -q only the number of jobs and flows that need a person is printed. With a JOB it is the same as "
    "luzia job. An export goes to luzia_status_DATE_TIME.json (or .md) unless --out names a file.",
    "luzia status\n"
    "luzia status --alerts --project web\n"
    "luzia status --export markdown --out -",
    kStatusOptions,
    0,
    1,
    Completes::job,
    run_status,
    kNeedsStore};

}  // namespace luzia
