#include "tools/luziad/contention_watch.h"

#include <algorithm>

#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {
namespace {

/// Tool calls are only known of agents whose output says them.
bool tells_of_tools(const JobState& job) {
  return job.spec && job.spec->output_format != "text";
}

bool runs(const JobState& job) {
  return job.attempt > 0 && !job.attempt_over && job.state != schema::JobState::queued;
}

/// Of the stream of one job, what a FileContention folds.
bool matters(const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  const bool begins = job != nullptr && job->fact_as_AttemptStarting() != nullptr;
  return begins || event.payload_as_ToolEvent() != nullptr || event.payload_as_WorkspaceEvent() != nullptr;
}

/// What a worker has read, in order.
struct Past {
  std::unique_ptr<ViewReader> rows;
  std::vector<std::string> jobs;
  std::vector<std::vector<std::uint64_t>> events;  // aligned
};

void read_past(Past& past, const EventLog& log, std::uint64_t most) {
  std::vector<Position> positions;
  for (const std::string& job : past.jobs) {
    const std::string stream = "job/" + job;
    const std::uint64_t last = last_version(*past.rows, stream);
    const auto of_job = stream_positions(*past.rows, stream, last > most ? last - most : 1, most);
    positions.insert(positions.end(), of_job.begin(), of_job.end());
  }
  std::ranges::sort(positions);
  // What cannot be read is not known: a contention may be told of late, or again.
  (void)visit_events(log, positions, [&](const schema::Event& event, Bytes encoded) {
    if (!matters(event)) return true;
    auto& copy = past.events.emplace_back((encoded.size() + 7) / 8);
    std::copy(encoded.begin(), encoded.end(), reinterpret_cast<std::uint8_t*>(copy.data()));
    return true;
  });
}

}  // namespace

void ContentionWatch::look_back() {
  auto past = std::make_shared<Past>();
  for (const auto& [id, job] : parts_.engine.live_jobs()) {
    if (!runs(job) || !tells_of_tools(job)) continue;
    contention_.watch(id, job.spec->working_dir);
    past->jobs.push_back(id);
  }
  if (past->jobs.empty()) return;
  past->rows = parts_.views.snapshot();
  looking_back_ = true;
  parts_.workers.run([past, &log = parts_.log] { read_past(*past, log, kEventsOfAJob); },
                     [this, past] {
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
      const JobState* state = parts_.engine.find_live(job);
      if (state != nullptr && tells_of_tools(*state)) contention_.watch(job, state->spec->working_dir);
    } else if (fact->fact_as_AttemptEnded() != nullptr || fact->fact_as_JobEnded() != nullptr) {
      contention_.forget(job);
    }
    return;
  }
  contention_.take(event);
}

void ContentionWatch::raise() {
  for (FileContention::Met& met : contention_.take_met()) {
    CommandMeta meta;
    meta.now = wall_now();
    meta.cause = met.cause;
    schema::FilesContendedT fact;
    fact.job = met.other;
    fact.files_count = static_cast<std::uint32_t>(met.files.size());
    if (met.files.size() > FileContention::kMostNamed) met.files.resize(FileContention::kMostNamed);
    fact.files = std::move(met.files);
    NoteWorkspace note;
    note.fact.Set(std::move(fact));
    parts_.engine.submit(meta, std::vector<JobOrder>{{met.job, std::move(note)}}, {});
  }
}

}  // namespace luzia
