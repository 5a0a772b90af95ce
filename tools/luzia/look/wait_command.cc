// wait: waits until jobs reach a state.
#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/shell_quote.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "tools/luzia/families.h"
#include "tools/luzia/look/wait_show.h"
#include "tools/luzia/look/waiting.h"
#include "tools/luzia/signals.h"
#include "tools/read/machine_source.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr std::uint32_t kRowsAPage = 1'000;
constexpr std::chrono::milliseconds kMoment{500};       // in which most of what does not wait long starts
constexpr std::chrono::milliseconds kUntilLook{3'000};  // between two queries of why queued jobs do not start

constexpr Option kWaitOptions[] = {
    {"--any", ValueKind::flag, "", "return when the first of them is there"},
    {"--until", ValueKind::states, "STATE",
     "wait for these states (default: any end): running, waiting, ..."},
    {"--timeout", ValueKind::duration, "D", "give up after this long, with exit code 1"},
    {"--exit-code", ValueKind::flag, "", "exit with the job's own exit code"},
};

void print_jobs_json(const Invocation& invocation, const std::vector<const view::Job*>& jobs,
                     Position position) {
  std::vector<std::string> objects;
  for (const view::Job* job : jobs) objects.push_back(job_json(*job, invocation.now()));
  print_line(objects.size() == 1 ? objects.front() : list_json("jobs", objects, position, ""));
}

std::string ending_line(const view::Job& job) {
  const std::string why = end_text(job);
  const std::string_view cause = job.failure() ? text(job.failure()->summary()) : std::string_view();
  return job.id()->str() + " " + std::string(state_name(job.state())) +
         (why.empty() ? "" : " (" + make_harmless(why) + ")") +
         (why.find(cause) != std::string::npos ? "" : ": " + make_harmless(cause));
}

bool reached(const view::Job& job, const std::vector<schema::JobState>& until) {
  return until.empty() ? is_terminal(job.state()) : names_state(until, job.state());
}

/// Why the wait ended although not all `jobs` reached a wanted state, for people; empty: all did, or there
/// was no timeout. With `any` one ended job is enough, so the wait did not give up.
std::string shortfall(const std::vector<const view::Job*>& jobs, const std::vector<schema::JobState>& until,
                      bool any, const std::string& timeout) {
  std::vector<const view::Job*> ended;
  std::size_t open = 0;
  for (const view::Job* job : jobs) {
    if (reached(*job, until)) continue;
    if (is_terminal(job->state())) {
      ended.push_back(job);
    } else {
      ++open;
    }
  }
  std::string words;
  if (ended.size() == 1) {
    words = std::string(text(ended.front()->id())) + " has ended";
  } else if (!ended.empty()) {
    words = std::to_string(ended.size()) + " jobs have ended";
  }
  if (!words.empty()) words += " and cannot reach a state of --until any more";
  if (open > 0 && !timeout.empty() && !(any && !ended.empty())) {
    words += std::string(words.empty() ? "" : "; ") + "gave up after " + timeout + ": " +
             std::to_string(open) + " not there yet";
  }
  return words;
}

int wait_code(const view::Job& job, const std::vector<schema::JobState>& until, bool own) {
  if (!reached(job, until)) return 1;
  // The job reached the state of --until, so the wait succeeded.
  return until.empty() || own ? exit_code_of(job, own) : 0;
}

/// The options that repeat this wait, as they were given; without --timeout, which has been used up.
std::string wait_options(const Arguments& args) {
  std::string words = args.has("any") ? " --any" : "";
  if (args.has("until")) words += " --until " + shell_quote(args.text("until"));
  if (args.has("exit-code")) words += " --exit-code";
  return words;
}

/// Tells the person who stopped waiting that the jobs continue, and how to wait again.
int stop_waiting(const Invocation& invocation, const WaitedJobs& waited) {
  constexpr std::size_t kMostNamed = 4;
  const std::vector<std::string>& jobs = waited.named();
  const std::string place = invocation.place_options();
  std::string names;
  for (const std::string& job : jobs) names += " " + job;
  const std::string again = "luzia wait" + names + wait_options(invocation.args()) + place + " waits again";
  const std::string end = "luzia cancel" + names + place;
  if (jobs.size() == 1) {
    invocation.say("job" + names + " continues; " + again + ", " + end + " ends it");
  } else if (jobs.size() <= kMostNamed) {
    invocation.say("jobs that have not ended continue; " + again + ", " + end + " ends them");
  } else {
    invocation.say("jobs that have not ended continue; luzia jobs" + place +
                   " lists them, luzia cancel JOB..." + place + " ends them");
  }
  return kSignalBase + waited.signal();
}

Result<int> wait_and_print(Invocation& invocation) {
  const Arguments& args = invocation.args();
  wire::WaitT wait;
  wait.jobs = args.positionals();
  wait.any = args.has("any");
  wait.until = args.states("until");
  wait.timeout_ms = args.duration_ms("timeout").value_or(0);
  // On the wire 0 means no limit, so --timeout 0 becomes the shortest timeout.
  if (args.has("timeout") && wait.timeout_ms == 0) wait.timeout_ms = 1;
  const auto until = wait.until;
  auto client = LUZIA_TRY(invocation.connect());
  const auto waited = LUZIA_TRY(wait_for(invocation, client, wait));
  if (waited.signal() != 0) return stop_waiting(invocation, waited);
  auto jobs = waited.rows();
  if (wait.any) {
    std::vector<const view::Job*> those;
    std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(those),
                 [&](const view::Job* job) { return reached(*job, until); });
    jobs = those.empty() ? jobs : those;
  }
  if (invocation.json()) {
    print_jobs_json(invocation, jobs, waited.position());
  } else {
    for (const view::Job* job : jobs) print_line(ending_line(*job));
  }
  int code = 0;
  for (const view::Job* job : jobs) code = code != 0 ? code : wait_code(*job, until, args.has("exit-code"));
  if (const std::string words = shortfall(jobs, until, wait.any, args.text("timeout")); !words.empty()) {
    invocation.say(words);
  }
  return code;
}

Result<int> run_wait(Invocation& invocation) {
  return run_where_it_is(invocation, [&] { return wait_and_print(invocation); });
}

/// Waits on one connection. If that takes longer than a moment, says over others why jobs are queued, and
/// when that changes.
Result<WaitAnswer> ask_once(Invocation& invocation, Client& client, const TimedWait& wait,
                            Standstill& standstill) {
  const StopSignals signals;
  int signal = 0;
  bool is_queued = true;
  std::chrono::milliseconds until_look = kMoment;
  auto page = page_of(client.ask(wait.request(), [&](Client& waiting) -> Status {
    if (is_queued) {
      const Readable ready = waiting.wait_beside(signals.fd(), std::exchange(until_look, kUntilLook));
      if (!ready.first && !ready.second) {
        auto other = invocation.connect(WhenAbsent::complain);
        is_queued = other && report_standstill(invocation, *other, wait.jobs(), standstill);
        return {};
      }
    }
    signal = signals.wait(waiting);
    return signal == 0 ? Status() : fail(ErrorKind::refused, "interrupted", "waiting: stopped by a signal");
  }));
  if (signal != 0) return WaitAnswer{std::nullopt, signal};
  if (!page) return tl::unexpected(page.error());
  return WaitAnswer{std::move(*page)};
}

/// Waits, reconnecting if the daemon is restarted. Jobs are named by full ids, so the next daemon knows them.
Result<WaitAnswer> ask_wait(Invocation& invocation, Client& client, const TimedWait& wait,
                            Standstill& standstill) {
  while (true) {
    auto answer = ask_once(invocation, client, wait, standstill);
    if (answer || answer.error().code != "connection_lost") return answer;
    client = LUZIA_TRY(invocation.connect());
  }
}

}  // namespace

TimedWait::TimedWait(wire::WaitT wait, Clock::time_point now) : wait_(std::move(wait)) {
  constexpr std::chrono::milliseconds kForEver = std::chrono::years(100);
  const std::chrono::milliseconds most(std::min(wait_.timeout_ms, std::uint64_t(kForEver.count())));
  if (most.count() > 0) deadline_ = now + most;
}

wire::WaitT TimedWait::at(Clock::time_point now) const {
  wire::WaitT wait = wait_;
  if (!deadline_) return wait;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - now).count();
  wait.timeout_ms = left > 0 ? static_cast<std::uint64_t>(left) : 1;
  return wait;
}

std::vector<const view::Job*> WaitedJobs::rows() const {
  std::vector<const view::Job*> all;
  for (const Page& page : pages_) {
    const auto rows = page.as<view::Job>();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  std::map<std::string_view, std::size_t> places;
  for (const std::string& id : named_) places.emplace(id, places.size());
  const auto place = [&](const view::Job* job) {
    const auto it = places.find(job->id()->string_view());
    return it == places.end() ? places.size() : it->second;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const view::Job* a, const view::Job* b) { return place(a) < place(b); });
  return all;
}

Result<WaitedJobs> wait_for(Invocation& invocation, Client& client, wire::WaitT asked) {
  const TimedWait::Clock::time_point begun = TimedWait::Clock::now();
  for (std::string& job : asked.jobs) {
    job = LUZIA_TRY(full_id(invocation, client, job));
  }
  const TimedWait wait(std::move(asked), begun);
  WaitedJobs waited(wait.jobs());
  Standstill standstill(Reasons::every);
  auto answer = LUZIA_TRY(shows_waits(invocation) ? wait_showing(invocation, client, wait, standstill)
                                                  : ask_wait(invocation, client, wait, standstill));
  if (!answer.page) {
    waited.end_by(answer.signal);
    return waited;
  }
  Result<Page> page = std::move(*answer.page);
  FarPages pages(kMostCarriedBytes);
  while (page) {
    const std::string next = page->next();
    if (invocation.machine() != nullptr) {
      LUZIA_TRY(pages.add("the next", page->bytes()));
    }
    waited.add(std::move(*page));
    if (next.empty()) return waited;
    wire::QueryT query = view_query(wire::View::jobs);
    query.filter->jobs = wait.jobs();
    query.limit = kRowsAPage;
    query.cursor = next;
    page = ask_rows(invocation, client, query);
  }
  return tl::unexpected(page.error());
}

Result<int> wait_and_report(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                            bool own) {
  wire::WaitT wait;
  wait.jobs = jobs;
  const auto waited = LUZIA_TRY(wait_for(invocation, client, std::move(wait)));
  if (waited.signal() != 0) return stop_waiting(invocation, waited);
  const auto ended = waited.rows();
  if (invocation.json()) print_jobs_json(invocation, ended, waited.position());
  int code = 0;
  for (const view::Job* job : ended) {
    if (!invocation.json()) invocation.say(ending_line(*job));
    code = code != 0 ? code : exit_code_of(*job, own);
  }
  return code;
}

const Command kWaitCommand = {
    "wait",
    "Look",
    "[JOB...] [--any] [--until STATE] [--timeout D] [--exit-code]",
    "wait until jobs end",
    "Without a JOB it waits for the newest one, as @last does. Reports the jobs in the order in which they "
    "are "
    "named. Exit code 0: all completed; 1: one did not, or "
    "the timeout passed. With --exit-code the exit code is the first job's code that is not 0 (128 + signal "
    "for a killed job; 1 if the code is 0 but the job did not complete). A job that ends without reaching a "
    "state of --until counts as failed. While jobs are queued it says why, as luzia status does, and again "
    "when the reason changes. Ctrl-C only stops waiting; the jobs "
    "continue.",
    "luzia wait @last\n"
    "luzia wait $a $b --any --timeout 10m\n"
    "luzia wait $id --until waiting && luzia job $id",
    kWaitOptions,
    {0, -1, Completes::job},
    run_wait,
    kNeedsStore,
    kOneJob,
    {},
    kLastJob};

}  // namespace luzia
