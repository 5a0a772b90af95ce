// jobs, job, why: what there is and how it came about.
#include <cstdio>

#include "engine/base/local_time.h"
#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "projections/rows/pauses.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/waiting_text.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/open_inputs.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDefaultJobs = 50;
constexpr std::uint64_t kMostJobsInPage = 1'000;

constexpr Option kJobsOptions[] = {
    {"-A,--all", ValueKind::flag, "", "finished jobs too"},
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    kSinceFilter,
    kUntilFilter,
    {"--limit", ValueKind::number, "N", "at most that many, 0 for all (default 50)"},
    {"--cursor", ValueKind::text, "CURSOR", "go on where a page ended"},
    {"--timing", ValueKind::flag, "", "when, and how long each part took"},
};

bool asks_people(const view::Job& job) {
  return job.questions_open() + job.approvals_open() > 0;
}

/// Below what is told of a job: what it asks, and how to answer.
Status print_inputs(Invocation& invocation, Client& client, const std::string& job) {
  const auto inputs = ask_open_inputs(invocation, client, job);
  if (!inputs) {
    return tl::unexpected(inputs.error());
  }
  const std::string words = open_inputs_text(invocation, *inputs);
  print(words.empty() ? words : "\n" + words);
  return {};
}

/// Who took the job out of every list, as far as that can be told: the card has said that it is.
void print_remover(Invocation& invocation, Client& client, const view::Job& job) {
  wire::QueryT query;
  query.view = wire::View::why;
  query.limit = kMostJobsInPage;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job.id()->str()};
  const auto page = ask_rows(invocation, client, query);
  const schema::Event* removal = nullptr;
  for (const schema::Event* event : page ? page->as<schema::Event>() : std::vector<const schema::Event*>()) {
    const auto* fact = event->payload_as_JobEvent();
    if (fact != nullptr && fact->fact_as_JobRemoved() != nullptr) removal = event;
  }
  if (removal == nullptr) {
    return;
  }
  const std::string words = event_text(*removal) + ", by " + actor_text(*removal);
  const bool unicode = invocation.terminal().style().unicode;
  print("\n" + make_harmless(words, {.keep_newlines = false, .keep_tabs = false, .unicode = unicode}) + "\n");
}

/// A queued job's row comes with what it waits for.
Result<int> print_job(Invocation& invocation, Client& client, const view::Job& job) {
  std::optional<Page> page;
  if (job.state() == schema::JobState::queued) {
    auto asked = ask_waiting(invocation, client, job.id()->str());
    if (!asked) {
      return tl::unexpected(asked.error());
    }
    page = std::move(*asked);
  }
  const auto rows = page ? page->as<view::Waiting>() : std::vector<const view::Waiting*>{};
  const view::Waiting* waiting = rows.empty() ? nullptr : rows.front();
  if (invocation.json()) {
    print_line(job_json(job, invocation.now(), waiting));
  } else {
    const std::string words = waiting == nullptr ? std::string() : waiting_text(*waiting, invocation.now());
    print(job_card(job, invocation.now(), invocation.terminal().style(), words));
    if (asks_people(job)) {
      if (Status told = print_inputs(invocation, client, job.id()->str()); !told) {
        return tl::unexpected(told.error());
      }
    }
    if (job.removed_us() != 0) {
      print_remover(invocation, client, job);
    }
  }
  return 0;
}

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
    table.add({{job->id()->str()},
               {job->project() == nullptr ? "" : job->project()->str()},
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

/// Pages until `limit` rows are there.
struct Listing {
  std::vector<Page> pages;
  std::vector<const view::Job*> jobs;
  QueueEntries queue;
  std::string next;
  std::uint64_t position = 0;

  void add_queue(std::optional<Page> page) {
    if (!page) return;
    queue.merge(queue_of(page));
    pages.push_back(std::move(*page));
  }
};

Result<Listing> list_jobs(Invocation& invocation, Client& client) {
  const Arguments& args = invocation.args();
  Listing listing;
  std::uint64_t left = args.number("limit").value_or(kDefaultJobs);
  left = left == 0 ? ~std::uint64_t{0} : left;
  listing.next = args.text("cursor");
  do {
    wire::QueryT query;
    query.view = wire::View::jobs;
    query.filter = filter_of(args);
    // Who asks for a state, a time or a tag asks about the past too.
    query.filter->ended = args.has("all") || args.has("state") || args.has("since") || args.has("until");
    query.limit = static_cast<std::uint32_t>(std::min(left, kMostJobsInPage));
    query.cursor = listing.next;
    auto page = ask_rows(invocation, client, query);
    if (!page) {
      return tl::unexpected(page.error());
    }
    const auto rows = page->as<view::Job>();
    listing.jobs.insert(listing.jobs.end(), rows.begin(), rows.end());
    listing.add_queue(ask_queue(client, rows));
    listing.next = page->next();
    listing.position = page->position();
    left -= std::min<std::uint64_t>(left, page->size());
    listing.pages.push_back(std::move(*page));
  } while (left > 0 && !listing.next.empty());
  return listing;
}

Result<int> run_job(Invocation& invocation) {
  auto client = invocation.connect();
  if (!client) {
    return tl::unexpected(client.error());
  }
  const auto page = ask_job(invocation, *client, invocation.args().positionals().front());
  if (!page) {
    return tl::unexpected(page.error());
  }
  return print_job(invocation, *client, *page->as<view::Job>().front());
}

/// For whoever wonders why nothing starts. What cannot be told is left out: the list has been printed.
void say_pauses(Invocation& invocation, Client& client) {
  if (!invocation.terminal().out_is_terminal) {
    return;
  }
  const auto answer = ask_rows(client, pauses_query(invocation.args()));
  for (const view::QueueSwitch* pause : pauses_of(answer)) {
    invocation.say(pause_text(*pause, invocation.now()));
  }
}

Result<int> run_jobs(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (!args.positionals().empty() && !args.has("timing")) {
    return run_job(invocation);
  }
  auto client = connect_to_ask(invocation);
  if (!client) {
    return tl::unexpected(client.error());
  }
  Listing listing;
  if (!args.positionals().empty()) {
    auto page = ask_job(invocation, *client, args.positionals().front());
    if (!page) {
      return tl::unexpected(page.error());
    }
    listing.jobs = page->as<view::Job>();
    listing.pages.push_back(std::move(*page));
  } else {
    auto listed = list_jobs(invocation, *client);
    if (!listed) {
      return tl::unexpected(listed.error());
    }
    listing = std::move(*listed);
  }
  if (invocation.json()) {
    std::vector<std::string> objects;
    for (const view::Job* job : listing.jobs) {
      objects.push_back(job_json(*job, invocation.now(), nullptr, entry_of(listing.queue, *job)));
    }
    print_line(list_json("jobs", objects, listing.position, listing.next));
    return 0;
  }
  const bool hides = !args.has("all") && !args.has("state") && !args.has("since") && !args.has("until") &&
                     args.positionals().empty();
  const bool about_one = !args.positionals().empty();
  if (listing.jobs.empty()) {
    say_pauses(invocation, *client);
    invocation.say(hides ? "no jobs now; finished ones: luzia jobs --all" : "no such jobs");
    return 0;
  }
  const Table table = args.has("timing")
                          ? timing_table(listing.jobs, invocation.now())
                          : jobs_table(listing.jobs, invocation.now(), Form::people, listing.queue);
  print(table.text(invocation.terminal().style()));
  if (!about_one) {
    say_pauses(invocation, *client);
  }
  if (!listing.next.empty()) {
    invocation.say("more: --cursor " + listing.next);
  }
  return 0;
}

/// The end of the story of a job: what it waits for in the queue, or what it asks.
Result<int> print_waiting(Invocation& invocation, Client& client) {
  const auto page = ask_waiting(invocation, client, invocation.args().positionals().front());
  if (!page) {
    return tl::unexpected(page.error());
  }
  for (const view::Waiting* waiting : page->as<view::Waiting>()) {
    const TableStyle style = invocation.terminal().style();
    const std::string words =
        make_harmless(waiting_text(*waiting, invocation.now()),
                      {.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode});
    print(coloured("now", Colour::bold, style.colour) + "  " + words + "\n");
  }
  if (Status told = print_inputs(invocation, client, invocation.args().positionals().front()); !told) {
    return tl::unexpected(told.error());
  }
  return 0;
}

/// The words of the questions and answers that these events tell of; as far as they are known, they are not
/// the point.
QuestionWords ask_words(Invocation& invocation, Client& client,
                        const std::vector<const schema::Event*>& events) {
  if (!tells_of_questions(events)) {
    return {};
  }
  wire::QueryT query;
  query.view = wire::View::questions;
  query.limit = kMostJobsInPage;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {invocation.args().positionals().front()};
  query.filter->ended = true;
  const auto page = ask_rows(invocation, client, query);
  return page ? question_words(page->as<view::Question>()) : QuestionWords{};
}

Result<int> run_why(Invocation& invocation) {
  auto client = invocation.connect();
  if (!client) {
    return tl::unexpected(client.error());
  }
  std::vector<Page> pages;
  std::vector<const schema::Event*> events;
  std::string next;
  do {
    wire::QueryT query;
    query.view = wire::View::why;
    query.limit = kMostJobsInPage;
    query.cursor = next;
    query.filter = std::make_unique<wire::FilterT>();
    query.filter->jobs = {invocation.args().positionals().front()};
    auto page = ask_rows(invocation, *client, query);
    if (!page) {
      return tl::unexpected(page.error());
    }
    const auto rows = page->as<schema::Event>();
    events.insert(events.end(), rows.begin(), rows.end());
    next = page->next();
    pages.push_back(std::move(*page));
  } while (!next.empty());
  if (!invocation.json()) {
    print(why_text(events, invocation.terminal().style(), {}, ask_words(invocation, *client, events),
                   explained_job(events)));
    return print_waiting(invocation, *client);
  }
  std::vector<std::string> objects;
  for (const schema::Event* event : events) {
    objects.push_back(event_json(*event));
  }
  print_line(list_json("events", objects, pages.back().position(), ""));
  return 0;
}

}  // namespace

const Command kJobsCommand = {
    "jobs",
    "Look",
    "[JOB] [--all] [filters] [--timing] [--limit N]",
    "list jobs, newest first",
    "Finished jobs are hidden unless --all, --state, --since or --until ask for them. With "
    "a JOB it is the same as luzia job.",
    "luzia jobs\n"
    "luzia jobs --all --project web --limit 200\n"
    "luzia jobs --state failed,lost --since yesterday --json",
    kJobsOptions,
    0,
    1,
    Completes::job,
    run_jobs,
    kNeedsStore};

const Command kJobCommand = {
    "job",
    "Look",
    "[JOB]",
    "show everything about one job",
    "JOB is an id, the beginning of one, or @last for the newest, which is also meant without "
    "any.",
    "luzia job @last\nluzia job 0kx8 --json",
    {},
    0,
    1,
    Completes::job,
    run_job,
    kNeedsStore,
    kLastJob};

const Command kWhyCommand = {
    "why",
    "Look",
    "[JOB]",
    "why a job is in its state: the chain of events, who caused each, and how we know",
    "Evidence is \"asserted\" by the process that knows, or \"seen\" in output.log by a rule.",
    "luzia why @last\nluzia why 0kx8 --json",
    {},
    0,
    1,
    Completes::job,
    run_why,
    kNeedsStore,
    kLastJob};

}  // namespace luzia
