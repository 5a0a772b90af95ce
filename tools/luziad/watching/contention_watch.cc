#include "tools/luziad/watching/contention_watch.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {
namespace {

bool is_live(const JobState& job) {
  return job.attempt > 0 && !job.attempt_over && job.state != schema::JobState::queued;
}

/// Whether FileContention uses this event of a job's stream.
bool matters(const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  const bool begins = job != nullptr && job->fact_as_AttemptStarting() != nullptr;
  return begins || event.payload_as_ToolEvent() != nullptr || event.payload_as_WorkspaceEvent() != nullptr;
}

/// What a worker has read, in order.
struct Past {
  std::unique_ptr<ViewReader> rows;
  std::vector<std::string> jobs;
  std::map<std::string, std::string> folders;      // of the jobs, with their real paths; empty: unknown
  std::vector<std::vector<std::uint64_t>> events;  // aligned with the jobs
};

/// Without links; empty: unknown.
std::string real_path(const std::string& folder) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(folder, error).string();
  return error ? std::string() : real;
}

void read_past(Past& past, const EventLog& log, std::uint64_t most) {
  for (auto& [folder, real] : past.folders) real = real_path(folder);
  for (const std::string& job : past.jobs) {
    const std::string stream = "job/" + job;
    const std::uint64_t last = last_version(*past.rows, stream);
    const auto positions = stream_positions(*past.rows, stream, last > most ? last - most : 1, most);
    // What cannot be read of a job stays unknown: a contention may be reported late, or again.
    (void)visit_events(log, positions, [&](const schema::Event& event, Bytes encoded) {
      if (!matters(event)) return true;
      auto& copy = past.events.emplace_back((encoded.size() + 7) / 8);
      std::copy(encoded.begin(), encoded.end(), reinterpret_cast<std::uint8_t*>(copy.data()));
      return true;
    });
  }
  std::ranges::sort(past.events, {},
                    [](const auto& event) { return schema::GetEvent(event.data())->position(); });
}

}  // namespace

ContentionWatch::ContentionWatch(const Threads& threads, const Store& store, Engine& engine)
    : threads_(threads), store_(store), engine_(engine) {}

void ContentionWatch::look_back() {
  auto past = std::make_shared<Past>();
  for (const auto& [id, job] : engine_.live_jobs()) {
    if (!is_live(job) || !job.spec) continue;
    contention_.watch(id, job.spec->working_dir);
    past->jobs.push_back(id);
    past->folders[job.spec->working_dir];
  }
  if (past->jobs.empty()) return;
  past->rows = store_.views.snapshot();
  looking_back_ = true;
  threads_.workers.run([past, &log = store_.log] { read_past(*past, log, kEventsOfAJob); },
                       [this, past] {
                         // Earlier contentions are in the log under the real paths.
                         for (const auto& [folder, real] : past->folders) {
                           if (!real.empty()) contention_.link(folder, real);
                         }
                         for (const auto& event : past->events) take(*schema::GetEvent(event.data()));
                         looking_back_ = false;
                         for (const auto& group : std::exchange(meanwhile_, {})) committed(group);
                         raise();
                       });
}

void ContentionWatch::committed(const std::shared_ptr<const Group>& group) {
  if (looking_back_) {
    meanwhile_.push_back(group);
    return;
  }
  for (const schema::Event* event : group->events()) take(*event);
  raise();
}

void ContentionWatch::take(const schema::Event& event) {
  const std::string job(job_of_stream(text(event.stream())));
  if (job.empty()) return;
  if (const auto* fact = event.payload_as_JobEvent()) {
    if (fact->fact_as_AttemptStarting() != nullptr) {
      contention_.forget(job);
      const JobState* state = engine_.find_live(job);
      if (state == nullptr || !state->spec) return;
      contention_.watch(job, state->spec->working_dir);
      // A job shares its own worktree with nobody.
      if (!looking_back_ && !state->spec->worktree) find_real(state->spec->working_dir);
    } else if (fact->fact_as_AttemptEnded() != nullptr || fact->fact_as_JobEnded() != nullptr) {
      contention_.forget(job);
    }
    return;
  }
  contention_.take(event);
}

void ContentionWatch::find_real(const std::string& folder) {
  // At most one look at a folder at a time: a network mount that is gone does not respond.
  if (!being_resolved_.insert(folder).second) return;
  auto real = std::make_shared<std::string>();
  threads_.workers.run([real, folder] { *real = real_path(folder); },
                       [this, real, folder] {
                         being_resolved_.erase(folder);
                         if (real->empty() || threads_.stopping.stop_requested()) return;
                         contention_.link(folder, *real);
                         if (!looking_back_) raise();
                       });
}

void ContentionWatch::raise() {
  for (FileContention::Met& met : contention_.take_met()) {
    schema::FilesContendedT fact;
    fact.job = met.other;
    fact.files_count = static_cast<std::uint32_t>(met.files.size());
    if (met.files.size() > FileContention::kMostNamed) met.files.resize(FileContention::kMostNamed);
    fact.files = std::move(met.files);
    NoteWorkspace what;
    what.fact.Set(std::move(fact));
    engine_.submit(by_daemon(wall_now(), met.cause), std::vector<ToJob>{{met.job, std::move(what)}}, {});
  }
}

}  // namespace luzia
