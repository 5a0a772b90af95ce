// Handles the result of a look, and calls the hooks.
#include <utility>

#include "adapters/output_log/watcher_state.h"

namespace luzia {
namespace {

constexpr int kStaleAtMost = 3;

}  // namespace

void OutputWatcher::State::scan_done(const ScanTask& task, std::optional<ScanResult> result) {
  WatchedJob* job = find(task.watch);
  if (job == nullptr) return;
  job->scanning = false;
  if (!result || task.epoch != job->epoch) {
    job->look_for_requests |= task.request.requests;
    return look(*job, Urgency::at_once);
  }
  const bool grew =
      result->restarted || result->checkpoint.scanned_to != job->position.scanned_to || result->lines != 0;
  take_result(*job, *result);
  if (result->requests) take_requests(task.watch, *result->requests);
  if ((job = find(task.watch)) == nullptr) return;
  const auto& hook = grew ? hooks.grew : hooks.recalled;
  if ((grew || task.request.last_line_unknown) && hook) {
    const std::string name = job->name;  // copies, because the hook may forget the job
    const LiveTail tail = job->tail;
    hook(name, tail);
  }
  deliver(task.watch);
}

void OutputWatcher::State::take_result(WatchedJob& job, ScanResult& result) {
  const bool progressed = result.checkpoint.scanned_to != result.from;
  if (job.hint && result.file != LogFile::State::unreadable) {
    // The timer found output without a hint: the watched directory is no longer this one.
    job.rearm |= job.unannounced && progressed && !job.hinted;
    job.again |= job.rearm;
  }
  if (result.restarted) job.tail.last_line.clear();
  if (result.last_line) job.tail.last_line = std::move(*result.last_line);
  job.tail.repetition = std::move(result.repetition);
  if (result.file == LogFile::State::readable) job.last_line_unknown = false;
  if (result.trouble) tell(job, std::move(*result.trouble));
  job.position = result.checkpoint;
  job.modified_ns = result.modified_ns;
  job.outbox.add(result);
  job.tail.bytes = job.position.scanned_to;
  job.tail.generation = job.position.generation;
  job.tail.lines = job.outbox.lines();
  if (result.finished) set_read_all(job, true);
  using CatchingUp = WatchedJob::CatchingUp;
  if (job.catching_up == CatchingUp::looking && !result.more) job.catching_up = CatchingUp::looked;
  if (result.more) {
    look(job, Urgency::at_once);
  } else if (job.again) {
    look(job, job.rearm || job.finish_at ? Urgency::at_once : Urgency::may_gather);
  }
}

/// Always reports the first look, so that the receiver learns what was there when the watch began.
void OutputWatcher::State::take_requests(std::uint64_t id, const RequestMarks& marks) {
  WatchedJob* job = find(id);
  if (job->requests == marks) return;
  job->requests = marks;
  const std::string name = job->name;  // a copy, because the hook may forget the job
  hooks.requests(name, marks);
}

void OutputWatcher::State::tell(WatchedJob& job, Error error) {
  if (job.told.insert(error.code).second) job.to_tell.push_back(std::move(error));
}

void OutputWatcher::State::restart_reading(WatchedJob& job, const schema::CheckpointT& checkpoint) {
  ++job.epoch;
  if (job.source->issues) job.source->issues->forget();  // reported issues may not have arrived
  if (job.source->session_named) job.source->session_named->store(false);
  job.position = checkpoint;
  job.modified_ns = 0;
  job.tail.bytes = checkpoint.scanned_to;
  job.tail.generation = checkpoint.generation;
  job.tail.lines = job.outbox.lines();
  if (++job.stale <= kStaleAtMost) {
    set_read_all(job, false);
    return look(job, Urgency::at_once);
  }
  // Stop until the timer's next look. The attempt's end must not wait for a log that refuses this output.
  tell(job, {ErrorKind::trouble, "output_not_recorded",
             "recording the output of job " + job.name + ": the log refused it " + std::to_string(job.stale) +
                 " times from offset " + std::to_string(checkpoint.scanned_to),
             "the attempt is probably over; what was not recorded still stands in output.log"});
  if (job.finish_at) set_read_all(job, true);
}

bool OutputWatcher::State::tell_trouble(std::uint64_t id) {
  WatchedJob* job = find(id);
  while (job != nullptr && !job->to_tell.empty()) {
    const Error error = std::move(job->to_tell.front());
    const std::string name = job->name;
    job->to_tell.erase(job->to_tell.begin());
    hooks.trouble(name, error);
    job = find(id);
  }
  return job != nullptr;
}

/// False: the job is gone.
bool OutputWatcher::State::tell_caught_up(std::uint64_t id) {
  WatchedJob* job = find(id);
  if (job->catching_up != WatchedJob::CatchingUp::looked || !job->outbox.empty()) return true;
  job->catching_up = WatchedJob::CatchingUp::no;
  for (const auto& then : std::exchange(job->caught_up, {})) then();
  return find(id) != nullptr;
}

void OutputWatcher::State::deliver(std::uint64_t id) {
  WatchedJob* job = find(id);
  if (job == nullptr || job->delivering) return;
  while (tell_trouble(id)) {
    const bool all = job->read_all || job->catching_up == WatchedJob::CatchingUp::looked;
    auto output = job->outbox.take(outbox_limits, hooks.monotonic_now(), all);
    if (!output) break;
    const std::string name = job->name;
    job->delivering = true;  // recorded() may be called from within: no recursion
    hooks.found(name, std::move(*output));
    if ((job = find(id)) == nullptr) return;
    job->delivering = false;
  }
  if ((job = find(id)) == nullptr) return;
  if (job->paused && !job->outbox.full(outbox_limits)) {
    job->paused = false;
    look(*job, Urgency::at_once);
  }
  if (!tell_caught_up(id) || !(job = find(id))->read_all || !job->outbox.empty()) return;
  for (const auto& then : std::exchange(job->thens, {})) {
    then();
    if (find(id) == nullptr) return;
  }
}

void OutputWatcher::State::finish_stop() {
  if (!stopping || open_handles > 0 || pool.under_way() || !stopped) return;
  std::exchange(stopped, {})();
}

}  // namespace luzia
