#include "adapters/output_log/watcher_state.h"

#include <algorithm>
#include <utility>

namespace luzia {
namespace {

constexpr std::size_t kBatch = 32;  // jobs given to one worker together
/// The same for jobs without a known change. Each costs only a few system calls; waking a worker and the loop
/// costs more than all of them.
constexpr std::size_t kQuietBatch = 512;

std::uint64_t milliseconds(TimeUs time) {
  return static_cast<std::uint64_t>(std::max<TimeUs>(1, time / kMillisecondUs));
}

}  // namespace

OutputWatcher::State::State(uv_loop_t* loop_, LineDecoderSource decoders_, Hooks hooks_, Limits limits_)
    : loop(loop_),
      decoders(std::move(decoders_)),
      hooks(std::move(hooks_)),
      limits(limits_),
      outbox_limits{limits_.coalesce_bytes, limits_.coalesce_time},
      hint_hook([this](std::uint64_t id, FileHint::About about) { on_hint(id, about); }),
      pool(
          loop_, {limits_.read_block, limits_.scan_at_most},
          [this](const ScanTask& task, std::optional<ScanResult> result) {
            scan_done(task, std::move(result));
          },
          [this] {
            drain();
            finish_stop();
          }),
      budget(limits_.looks_per_second),
      chatty{this, limits_.gather_job, Urgency::may_gather},
      over_budget{this, limits_.gather_all, Urgency::at_once} {
  uv_check_init(loop, &after_poll);
  uv_timer_init(loop, &reconcile_timer);
  uv_timer_init(loop, &chatty.timer);
  uv_timer_init(loop, &over_budget.timer);
  after_poll.data = reconcile_timer.data = this;
  chatty.timer.data = &chatty;
  over_budget.timer.data = &over_budget;
  // Hints of one poll are collected, then dispatched together. The handle must not keep the loop alive.
  uv_check_start(&after_poll, [](uv_check_t* handle) { static_cast<State*>(handle->data)->drain(); });
  uv_unref(reinterpret_cast<uv_handle_t*>(&after_poll));
  open_handles = 4;
}

// ---- jobs ----

WatchedJob* OutputWatcher::State::find(std::uint64_t id) {
  const auto found = jobs.find(id);
  return found == jobs.end() ? nullptr : found->second.get();
}

WatchedJob* OutputWatcher::State::find(const std::string& name) {
  const auto found = ids.find(name);
  return found == ids.end() ? nullptr : find(found->second);
}

void OutputWatcher::State::add(WatchSpec spec) {
  ScanSource source{spec.job_dir,
                    spec.owner_uid,
                    spec.attempt,
                    decoders(spec.output_format),
                    std::move(spec.final_size),
                    std::make_shared<RepetitionDetector>(),
                    spec.issues ? std::make_shared<IssueTally>(std::move(spec.issues)) : nullptr,
                    std::make_shared<std::atomic<bool>>(false),
                    spec.foreign,
                    std::move(spec.checks_from),
                    decoders("text"),
                    std::move(spec.redactor)};
  auto job = std::make_unique<WatchedJob>(WatchedJob{
      .id = ++last_id,
      .name = spec.job,
      .source = std::make_shared<const ScanSource>(std::move(source)),
      .outbox = Outbox(spec.attempt, spec.checkpoint, spec.lines_before, hooks.monotonic_now()),
      .budget = LookBudget(limits.job_looks_per_second),
  });
  job->position = spec.checkpoint;
  job->tail.bytes = spec.checkpoint.scanned_to;
  job->tail.lines = spec.lines_before;
  job->tail.generation = spec.checkpoint.generation;
  job->last_line_unknown = spec.checkpoint.scanned_to > 0;  // an earlier daemon has read it
  job->look_for_requests = !spec.foreign;
  job->hint = std::make_unique<FileHint>(loop, job->id, spec.job_dir, &hint_hook,
                                         spec.foreign ? spec.foreign->path : std::string());
  ++open_handles;
  ++reading;
  ids[spec.job] = job->id;
  WatchedJob& added = *jobs.emplace(job->id, std::move(job)).first->second;
  set_reconcile_timer();
  look(added, Urgency::at_once);
}

void OutputWatcher::State::remove(WatchedJob& job) {
  set_read_all(job, true);
  ids.erase(job.name);
  jobs.erase(job.id);
}

void OutputWatcher::State::set_read_all(WatchedJob& job, bool read_all) {
  if (job.read_all == read_all) return;
  job.read_all = read_all;
  if (read_all) {
    --reading;
    set_unhinted(job, false);
    drop_hint(job);
  } else {
    ++reading;
  }
  set_reconcile_timer();
}

void OutputWatcher::State::drop_hint(WatchedJob& job) {
  if (!job.hint) return;
  FileHint::close(std::move(job.hint), [this] {
    --open_handles;
    finish_stop();
  });
}

// ---- when to look ----

void OutputWatcher::State::on_hint(std::uint64_t id, FileHint::About about) {
  WatchedJob* job = find(id);
  if (job == nullptr) return;
  switch (about) {
    case FileHint::About::requests: {
      hints.add({hooks.monotonic_now(), job->name, RawHint::What::requests});
      const std::string name = job->name;  // a copy, because the hook may forget the job
      return hooks.requests(name, std::nullopt);
    }
    case FileHint::About::answers:
      return;  // read by whoever waits for an answer
    case FileHint::About::output:
      hints.add({hooks.monotonic_now(), job->name, RawHint::What::changed});
      break;
    case FileHint::About::directory:
      hints.add({hooks.monotonic_now(), job->name, RawHint::What::renamed});
      job->rearm = true;
      break;
  }
  job->hinted = true;
  look(*job, Urgency::may_gather);
}

void OutputWatcher::State::look(WatchedJob& job, Urgency urgency) {
  using Waits = WatchedJob::Waits;
  if (job.read_all || job.waits == Waits::ready) return;
  if (job.scanning) {
    job.again = true;
    return;
  }
  if (job.outbox.full(outbox_limits)) {
    job.paused = true;
    return;
  }
  if (urgency == Urgency::may_gather && (job.waits == Waits::gathering || gather(job))) return;
  job.waits = Waits::ready;
  ready.push_back(job.id);
}

bool OutputWatcher::State::gather(WatchedJob& job) {
  const TimeUs now = hooks.monotonic_now();
  Gathering* into = nullptr;
  if (!job.budget.take(now)) {
    into = &chatty;
  } else if (!budget.take(now)) {
    into = &over_budget;
  }
  if (into == nullptr) return false;
  if (into->jobs.empty()) {
    const auto fire = [](uv_timer_t* timer) {
      auto& gathering = *static_cast<Gathering*>(timer->data);
      gathering.state->release(gathering);
    };
    uv_timer_start(&into->timer, fire, milliseconds(into->delay), 0);
  }
  into->jobs.push_back(job.id);
  job.waits = WatchedJob::Waits::gathering;
  return true;
}

void OutputWatcher::State::release(Gathering& gathering) {
  for (const std::uint64_t id : std::exchange(gathering.jobs, {})) {
    WatchedJob* job = find(id);
    if (job == nullptr || job->waits != WatchedJob::Waits::gathering) continue;
    job->waits = WatchedJob::Waits::no;
    look(*job, gathering.then);
  }
  drain();
}

void OutputWatcher::State::drain() {
  for (std::size_t free = pool.free_batches(); free > 0 && !ready.empty(); --free) {
    const std::size_t share = std::min(kQuietBatch, (ready.size() + free - 1) / free);
    std::vector<ScanTask> tasks;
    while (tasks.size() < share && !ready.empty()) {
      WatchedJob* job = find(ready.front());
      const bool quiet = job == nullptr || (job->reconciling && !job->hinted);
      if (tasks.size() >= kBatch && !quiet) break;
      ready.pop_front();
      if (job != nullptr && job->waits == WatchedJob::Waits::ready) tasks.push_back(begin_look(*job));
    }
    if (!tasks.empty()) pool.submit(std::move(tasks));
  }
}

ScanTask OutputWatcher::State::begin_look(WatchedJob& job) {
  job.waits = WatchedJob::Waits::no;
  job.scanning = true;
  job.again = false;
  job.unannounced = std::exchange(job.reconciling, false) && !std::exchange(job.hinted, false);
  if (job.catching_up == WatchedJob::CatchingUp::asked) job.catching_up = WatchedJob::CatchingUp::looking;
  if (job.rearm) arm(job);  // before the look, so that no write is missed between the two
  const bool asked = std::exchange(job.look_for_requests, false) || job.finish_at.has_value();
  const bool requests = asked && !job.source->foreign;
  return {job.id,
          job.epoch,
          {job.source, job.position, job.finish_at, job.modified_ns, requests, job.last_line_unknown}};
}

// ---- file watches ----

void OutputWatcher::State::arm(WatchedJob& job) {
  job.rearm = false;
  if (!job.hint) return;
  const int status = job.hint->arm();
  set_unhinted(job, status != 0);
  const bool at_a_limit =
      status == UV_ENOSPC || status == UV_EMFILE || status == UV_ENFILE || status == UV_ENOMEM;
  if (!at_a_limit || told_no_watches) return;
  told_no_watches = true;
  job.to_tell.push_back({ErrorKind::trouble, "no_file_watches",
                         "watching the directory of job " + job.name + ": " + uv_strerror(status) +
                             "; such directories are looked at every second instead",
                         "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances by sysctl"});
}

void OutputWatcher::State::set_unhinted(WatchedJob& job, bool unhinted) {
  if (job.unhinted == unhinted) return;
  job.unhinted = unhinted;
  if (unhinted) {
    ++unhinted_count;
  } else {
    --unhinted_count;
  }
  set_reconcile_timer();
}

void OutputWatcher::State::set_reconcile_timer() {
  const TimeUs wanted = unhinted_count > 0 ? limits.reconcile_unhinted : limits.reconcile_every;
  const std::uint64_t period = reading == 0 || stopping ? 0 : milliseconds(wanted);
  if (period == reconcile_period_ms) return;
  reconcile_period_ms = period;
  if (period == 0) {
    uv_timer_stop(&reconcile_timer);
    return;
  }
  const auto fire = [](uv_timer_t* timer) { static_cast<State*>(timer->data)->reconcile(); };
  uv_timer_start(&reconcile_timer, fire, period, period);
}

void OutputWatcher::State::reconcile() {
  const auto all_every = static_cast<std::uint64_t>(
      std::max<TimeUs>(1, limits.reconcile_every / std::max<TimeUs>(1, limits.reconcile_unhinted)));
  const bool all = unhinted_count == 0 || ++ticks % all_every == 0;
  for (const auto& [id, job] : jobs) {
    if (job->read_all || (!all && !job->unhinted)) continue;
    hints.add({hooks.monotonic_now(), job->name, RawHint::What::reconciled});
    job->reconciling = job->look_for_requests = true;
    job->rearm |= job->unhinted;
    job->stale = 0;
    look(*job, Urgency::at_once);
  }
  drain();
}

}  // namespace luzia
