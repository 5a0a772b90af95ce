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

void read_past(Past& past, const EventLog& log, std::uint64_t most) {
  for (auto& [folder, real] : past.folders) {
    std::error_code error;
    real = std::filesystem::canonical(folder, error).string();
    if (error) real.clear();
  }
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

/// The evidence for a change that no agent reported.
schema::EvidenceT seen_in_tree() {
  schema::EvidenceT evidence;
  evidence.kind = schema::EvidenceKind::inferred;
  evidence.rule = "files-seen";
  return evidence;
}

}  // namespace

ContentionWatch::ContentionWatch(const Threads& threads, const Store& store, Engine& engine,
                                 TreeWatch::Setting setting)
    : workers_(threads.workers),
      store_(store),
      engine_(engine),
      trees_(threads.loop, threads.workers, threads.stopping, with_runners(std::move(setting)),
             {[this](const std::string& job, std::uint32_t attempt, const std::string& top,
                     const std::vector<ChangedFile>& files) { seen(job, attempt, top, files); },
              // It may be in another attempt by now, which may be over too.
              [this](const std::string& job, std::uint32_t attempt) {
                if (contention_.is_over(job) && contention_.attempt_of(job) == attempt)
                  contention_.forget(job);
              },
              [this](const std::string& folder, const std::string& real) {
                contention_.link(folder, real);
                if (!looking_back_) raise(contention_.take_met());
              }}) {}

TreeWatch::Setting ContentionWatch::with_runners(TreeWatch::Setting setting) {
  setting.runner_of = [this](const std::string& job) {
    const JobState* state = engine_.find_live(job);
    return state == nullptr ? ProcessId{} : ProcessId{state->runner_pid, state->runner_start};
  };
  return setting;
}

void ContentionWatch::look_back() {
  auto past = std::make_shared<Past>();
  for (const auto& [id, job] : engine_.live_jobs()) {
    if (!is_live(job) || !job.spec) continue;
    contention_.watch(id, job.spec->working_dir, job.attempt);
    trees_.begin(job, 0);
    past->jobs.push_back(id);
    past->folders[job.spec->working_dir];
  }
  if (past->jobs.empty()) return;
  past->rows = store_.views.snapshot();
  looking_back_ = true;
  workers_.run([past, &log = store_.log] { read_past(*past, log, kEventsOfAJob); },
               [this, past] {
                 // Earlier contentions are in the log under the real paths.
                 for (const auto& [folder, real] : past->folders) {
                   if (!real.empty() && real != folder) contention_.link(folder, real);
                 }
                 for (const auto& event : past->events) take(*schema::GetEvent(event.data()));
                 looking_back_ = false;
                 for (const auto& group : std::exchange(meanwhile_, {})) committed(group);
                 raise(contention_.take_met());
               });
}

void ContentionWatch::committed(const std::shared_ptr<const Group>& group) {
  if (looking_back_) {
    meanwhile_.push_back(group);
    return;
  }
  for (const schema::Event* event : group->events()) take(*event);
  raise(contention_.take_met());
}

void ContentionWatch::take(const schema::Event& event) {
  const std::string job(job_of_stream(text(event.stream())));
  if (job.empty()) return;
  if (const auto* fact = event.payload_as_JobEvent()) {
    if (fact->fact_as_AttemptStarting() != nullptr) {
      if (!looking_back_) take_end(job, event.time_us());
      contention_.forget(job);
      const JobState* state = engine_.find_live(job);
      if (state == nullptr || !state->spec) return;
      contention_.watch(job, state->spec->working_dir, state->attempt);
      // The past shows that the job worked, but not who else did.
      if (!looking_back_) trees_.begin(*state, event.time_us());
    } else if (fact->fact_as_AttemptEnded() != nullptr || fact->fact_as_JobEnded() != nullptr) {
      take_end(job, event.time_us());
    }
    return;
  }
  contention_.take(event);
}

void ContentionWatch::take_end(const std::string& job, TimeUs at) {
  if (!contention_.watches(job)) return;
  if (trees_.end(job, at)) {
    contention_.end(job);
  } else if (!contention_.is_over(job)) {
    contention_.forget(job);
  }
}

void ContentionWatch::seen(const std::string& job, std::uint32_t attempt, const std::string& top,
                           const std::vector<ChangedFile>& files) {
  schema::FilesSeenChangedT fact;
  std::size_t bytes = 0;
  for (const ChangedFile& file : files) {
    if (!contention_.see(job, top, file.path)) continue;
    fact.from_us = fact.files_count == 0 ? file.from_us : std::min(fact.from_us, file.from_us);
    fact.to_us = std::max(fact.to_us, file.from_us);
    ++fact.files_count;
    bytes += file.path.size();
    const bool is_named =
        fact.files.size() < FileContention::kMostSeenNamed && bytes <= FileContention::kMostSeenBytes;
    if (is_named) fact.files.push_back(file.path);
  }
  if (fact.files_count == 0) return;
  fact.attempt = attempt;
  fact.repository = top;
  NoteWorkspace what;
  what.fact.Set(std::move(fact));
  what.evidence = seen_in_tree();
  // The contentions are raised once this event has its position, which is their cause.
  auto met = std::make_shared<std::vector<FileContention::Met>>(contention_.take_met());
  note(job, std::move(what), 0, [this, met](const Result<Outcome>& noted) {
    for (FileContention::Met& each : *met) {
      if (noted && each.cause == 0) each.cause = noted->position;
    }
    raise(std::move(*met));
  });
}

void ContentionWatch::note(const std::string& job, NoteWorkspace what, Position cause, Reply noted) {
  engine_.submit(by_daemon(wall_now(), cause), std::vector<JobOrder>{{job, std::move(what)}},
                 std::move(noted));
}

void ContentionWatch::raise(std::vector<FileContention::Met> all) {
  for (FileContention::Met& met : all) {
    schema::FilesContendedT fact;
    fact.job = met.other;
    fact.files_count = static_cast<std::uint32_t>(met.files.size());
    if (met.files.size() > FileContention::kMostNamed) met.files.resize(FileContention::kMostNamed);
    fact.files = std::move(met.files);
    NoteWorkspace what;
    what.fact.Set(std::move(fact));
    if (met.inferred) what.evidence = seen_in_tree();
    note(met.job, std::move(what), met.cause, {});
  }
}

}  // namespace luzia
