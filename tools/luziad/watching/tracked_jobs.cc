#include "tools/luziad/watching/tracked_jobs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "tools/luziad/base/process_watching.h"
#include "tools/luziad/watching/tracked_log.h"

namespace luzia {
namespace {

constexpr std::uint64_t kTryToWatchMs = 1'000;
constexpr std::uint64_t kPatienceMs = 2'000;
constexpr std::uint64_t kToItsEnd = ~std::uint64_t{0};

}  // namespace

TrackedJobs::TrackedJobs(uv_loop_t* loop, Mailbox& mailbox, OutputWatcher& watcher, Setting setting)
    : loop_(loop),
      mailbox_(mailbox),
      watcher_(watcher),
      setting_(std::move(setting)),
      again_(std::make_unique<Timer>(loop)),
      patience_(std::make_unique<Timer>(loop)) {}

void TrackedJobs::job_changed(const JobState& job) {
  if (!again_ || !is_watched(job)) return;
  const auto known = tracked_.find(job.job);
  if (is_terminal(job.state)) {
    if (known == tracked_.end()) return;
    for (auto& waiting : known->second.waiting) mailbox_.post(std::move(waiting));
    tracked_.erase(known);
    return watcher_.forget(job.job);
  }
  if (known != tracked_.end()) return;
  Tracked& tracked = tracked_[job.job];
  tracked.id = {job.pid, job.pid_start};
  tracked.boot_id = job.boot_id;
  if (!job.log.empty()) watch_log(job);
  // Not from within the engine, to which an end is reported.
  if (job.pid != 0) mailbox_.post([this, id = job.job] { look_at_process(id); });
}

void TrackedJobs::watch_log(const JobState& job) {
  WatchSpec spec;
  spec.job = job.job;
  spec.attempt = job.attempt;
  spec.job_dir = job.log.substr(0, std::max<std::size_t>(1, job.log.rfind('/')));
  spec.owner_uid = job.spec->uid;
  if (job.checkpoint) spec.checkpoint = *job.checkpoint;
  spec.lines_before = job.output_lines;
  spec.output_format = "text";
  if (setting_.issues) spec.issues = setting_.issues(job.spec->project);
  spec.foreign = tracked_log(job.log, *job.spec);
  watcher_.watch(std::move(spec));
}

void TrackedJobs::look_at_process(const std::string& job) {
  const auto it = tracked_.find(job);
  if (!again_ || it == tracked_.end() || it->second.ending || it->second.process) return;
  Tracked& tracked = it->second;
  if (tracked.boot_id != setting_.boot_id) return gone(job, "the machine has restarted");
  auto watch = watch_process(loop_, tracked.id, [this, job] { gone(job, {}); });
  if (watch) {
    tracked.process = std::move(*watch);
    if (!tracked.process) gone(job, {});
    return;
  }
  if (!std::exchange(tracked.reported_trouble, true)) {
    spdlog::warn("job {}: {}; looking again until it works", job, watch.error().message);
  }
  if (again_->running()) return;
  again_->start(kTryToWatchMs, [this] {
    std::vector<std::string> all;
    for (const auto& [id, each] : tracked_) {
      if (each.id.pid != 0) all.push_back(id);
    }
    for (const std::string& id : all) look_at_process(id);
  });
}

/// Records the end only after the log was read to its end.
void TrackedJobs::gone(const std::string& job, const std::string& detail) {
  const auto it = tracked_.find(job);
  if (it == tracked_.end() || std::exchange(it->second.ending, true)) return;
  it->second.process.reset();
  watcher_.finish(job, kToItsEnd, [this, job, detail] {
    setting_.report(job, ReportTrackedGone{detail, last_line(job)});
  });
}

void TrackedJobs::read_on(const std::string& job, std::function<void()> then) {
  const auto it = tracked_.find(job);
  if (it == tracked_.end() || watcher_.tail(job) == nullptr) return then();
  it->second.waiting.push_back(std::move(then));
  if (!patience_->running()) {
    patience_->start(kPatienceMs, [this] {
      std::vector<std::string> all;
      for (const auto& [id, each] : tracked_) all.push_back(id);
      for (const std::string& id : all) answer(id);
    });
  }
  watcher_.catch_up(job, [this, job] { answer(job); });
}

void TrackedJobs::answer(const std::string& job) {
  const auto it = tracked_.find(job);
  if (it == tracked_.end()) return;
  for (const auto& waiting : std::exchange(it->second.waiting, {})) waiting();
}

std::string TrackedJobs::last_line(const std::string& job) const {
  const LiveTail* tail = tracked_.contains(job) ? watcher_.tail(job) : nullptr;
  return tail == nullptr ? std::string() : tail->last_line;
}

void TrackedJobs::close() {
  again_.reset();
  patience_.reset();
  tracked_.clear();
}

}  // namespace luzia
