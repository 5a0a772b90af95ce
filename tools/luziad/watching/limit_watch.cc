#include "tools/luziad/watching/limit_watch.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>

#include "adapters/job_dir/room_taken.h"
#include "adapters/launcher/limit_cgroups.h"
#include "engine/base/failpoint.h"
#include "engine/event/limits_text.h"

namespace luzia {

namespace {

/// Whether a look can tell that a limit is reached: the kernel alone can hold CPU back.
bool is_seen(const schema::AttemptLimitsT& limits) {
  return limits.memory_bytes != 0 || limits.processes != 0 || limits.disk_bytes != 0;
}

/// Of a sandbox: its keeper, and its proxy with the threads that resolve names.
std::uint32_t own_threads(const JobState& job) {
  constexpr std::uint32_t kKeeper = 1, kProxy = 3;
  if (!job.spec->sandbox) return 0;
  return job.spec->sandbox->hosts.empty() ? kKeeper : kKeeper + kProxy;
}

}  // namespace

/// What to look at, and then what was seen.
struct LimitWatch::ProcessLook {
  struct Attempt {
    std::string job;
    std::uint32_t number = 0;
    std::uint64_t memory_limit = 0;
    std::uint32_t own_threads = 0;
    std::string cgroup;
    SeenUse seen = {};
  };
  std::vector<Attempt> attempts;
  std::vector<ProcessTree> trees;
  std::string proc;
  std::uint64_t reserve = 0;
  bool limited = false;  // else only the reserve matters
  std::optional<std::uint64_t> available = {};
  TimeUs took = 0;

  void take();
};

struct LimitWatch::DiskLook {
  struct Attempt {
    std::string job;
    std::uint32_t number = 0;
    std::string folder;
    std::uint64_t bytes = 0;
  };
  std::vector<Attempt> attempts;
  TimeUs took = 0;
};

void LimitWatch::ProcessLook::take() {
  constexpr std::uint64_t kFarFromReserve = 4;
  const TimeUs began = monotonic_now();
  if (reserve != 0) available = available_memory(proc);
  const bool scarce = available && *available / kFarFromReserve < reserve;
  if (limited || scarce) {
    auto uses = use_of_trees(trees);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      Attempt& attempt = attempts[i];
      attempt.seen.tree = std::move(uses[i]);
      TreeUse& use = attempt.seen.tree;
      use.threads -= std::min<decltype(use.threads)>(use.threads, attempt.own_threads);
      const bool may_be_over = attempt.memory_limit != 0 && use.resident > attempt.memory_limit;
      attempt.seen.over_memory = may_be_over && holds_more_than(use, attempt.memory_limit);
      attempt.seen.refused_process = !attempt.cgroup.empty() && refused_processes(attempt.cgroup) > 0;
    }
  }
  took = monotonic_now() - began;
}

std::optional<std::uint64_t> available_memory(const std::string& proc) {
  std::ifstream in(proc + "/meminfo");
  std::uint64_t kib = 0;
  for (std::string name, rest; in >> name; std::getline(in, rest)) {
    if (name == "MemAvailable:" && in >> kib) return kib * 1024;
  }
  return std::nullopt;
}

LimitWatch::LimitWatch(uv_loop_t* loop, const Mailbox& mailbox, const Config& config, Hooks hooks)
    : mailbox_(mailbox), config_(config), hooks_(std::move(hooks)), timer_(std::make_unique<Timer>(loop)) {}

bool LimitWatch::concerns(const JobState& job) const {
  const bool has_attempt = job.runner_pid != 0 && !job.attempt_over && !job.tracked &&
                           !is_terminal(job.state) && job.state != schema::JobState::queued;
  return has_attempt &&
         ((job.spec->limits && is_seen(*job.spec->limits)) || config_.queue.stop_when_memory_below != 0);
}

void LimitWatch::job_changed(const JobState& job) {
  if (!timer_) return;
  const auto it = watched_.find(job.job);
  if (!concerns(job)) {
    if (it != watched_.end()) watched_.erase(it);
    return;
  }
  // A luzia-run that was killed has left its agent to others.
  const auto tree = job.runner_gone
                        ? ProcessTree{static_cast<pid_t>(job.pid), job.pid_start, true}
                        : ProcessTree{static_cast<pid_t>(job.runner_pid), job.runner_start, false};
  if (it != watched_.end() && it->second.attempt == job.attempt) {
    it->second.tree = tree;
    return;
  }
  Watched watched;
  watched.attempt = job.attempt;
  watched.tree = tree;
  if (job.spec->limits) watched.limits = *job.spec->limits;
  watched.own_threads = own_threads(job);
  watched.job_dir = job.spec->job_dir;
  watched_.insert_or_assign(job.job, std::move(watched));
  constexpr TimeUs kSoon = 200 * kMillisecondUs;
  for (Looking* kind : {&processes_, &disks_})
    kind->due = std::max(kind->earliest, std::min(kind->due, hooks_.monotonic_now() + kSoon));
  arm();
}

void LimitWatch::config_changed() {
  if (!timer_) return;
  std::erase_if(watched_, [this](const auto& each) {
    return config_.queue.stop_when_memory_below == 0 && !is_seen(each.second.limits);
  });
  hooks_.each_job([this](const JobState& job) { job_changed(job); });
}

void LimitWatch::close() {
  timer_.reset();
  watched_.clear();
}

LimitWatch::Watched* LimitWatch::find(const std::string& job, std::uint32_t attempt) {
  const auto it = watched_.find(job);
  return it != watched_.end() && it->second.attempt == attempt ? &it->second : nullptr;
}

void LimitWatch::complete(const std::string& job, RecordExit& exit) const {
  const auto it = watched_.find(job);
  if (!exit.end.reached || it == watched_.end() || it->second.attempt != exit.end.attempt) return;
  for (const schema::ProcessUseT& process : it->second.largest)
    exit.end.reached->largest.push_back(std::make_unique<schema::ProcessUseT>(process));
}

void LimitWatch::arm() {
  if (!timer_ || watched_.empty()) return;
  TimeUs due = processes_.looking ? 0 : processes_.due;
  const bool disks =
      std::ranges::any_of(watched_, [](const auto& each) { return each.second.limits.disk_bytes != 0; });
  if (processes_.looking && (disks_.looking || !disks)) return;  // the end of a look arms it again
  if (disks && !disks_.looking) due = processes_.looking ? disks_.due : std::min(due, disks_.due);
  const TimeUs wait = std::max<TimeUs>(0, due - hooks_.monotonic_now());
  timer_->start(static_cast<std::uint64_t>((wait + kMillisecondUs - 1) / kMillisecondUs), [this] { turn(); });
}

void LimitWatch::turn() {
  if (watched_.empty()) return;
  const TimeUs now = hooks_.monotonic_now();
  if (!processes_.looking && processes_.due <= now) look_at_processes();
  if (!disks_.looking && disks_.due <= now) look_at_disks();
  arm();
}

void LimitWatch::look_at_processes() {
  auto look = std::make_shared<ProcessLook>();
  look->proc = hooks_.proc;
  look->reserve = config_.queue.stop_when_memory_below;
  for (const auto& [job, watched] : watched_) {
    const auto& limits = watched.limits;
    look->limited = look->limited || limits.memory_bytes != 0 || limits.processes != 0;
    std::string cgroup = limits.processes != 0 ? hooks_.cgroup_of(job, watched.attempt) : std::string();
    look->attempts.push_back(
        {job, watched.attempt, limits.memory_bytes, watched.own_threads, std::move(cgroup)});
    look->trees.push_back(watched.tree);
  }
  if (!look->limited && look->reserve == 0) return look_again(processes_, 0, 0);
  processes_.looking = true;
  const bool begun = run_aside([this, look, post = mailbox_.poster()] {
    look->take();
    post([this, look] { saw_processes(*look); });
  });
  if (begun) return;
  // No thread is to be had: perhaps because of just what is looked for.
  look->take();
  saw_processes(*look);
}

void LimitWatch::look_at_disks() {
  auto look = std::make_shared<DiskLook>();
  for (const auto& [job, watched] : watched_) {
    if (watched.limits.disk_bytes != 0 && !watched.stopped)
      look->attempts.push_back({job, watched.attempt, watched.job_dir});
  }
  if (look->attempts.empty()) return look_again(disks_, 0, 0);
  disks_.looking = run_aside([this, look, post = mailbox_.poster()] {
    const TimeUs began = monotonic_now();
    for (DiskLook::Attempt& attempt : look->attempts) attempt.bytes = room_taken(attempt.folder);
    look->took = monotonic_now() - began;
    post([this, look] { saw_disks(*look); });
  });
  if (!disks_.looking) look_again(disks_, 0, 0);
}

void LimitWatch::look_again(Looking& kind, double nearest, TimeUs took) const {
  const TimeUs now = hooks_.monotonic_now();
  kind.earliest = now + pause_between_looks(1, 1, 0, took);
  kind.due = now + pause_between_looks(nearest, kind.nearest, kind.last == 0 ? 0 : now - kind.last, took);
  kind.nearest = nearest;
  kind.last = now;
  kind.looking = false;
}

void LimitWatch::saw_processes(const ProcessLook& look) {
  if (!timer_) return;
  const TimeUs now = hooks_.monotonic_now();
  double nearest = 0;
  for (const ProcessLook::Attempt& attempt : look.attempts) {
    Watched* watched = find(attempt.job, attempt.number);
    const TreeUse& use = attempt.seen.tree;
    if (watched == nullptr || watched->stopped || use.processes.empty()) continue;
    watched->growth.add(now, use.resident);
    watched->largest = largest_of(use);
    if (const auto redactor = hooks_.redactor ? hooks_.redactor(attempt.job) : nullptr) {
      // The kernel cuts names.
      for (schema::ProcessUseT& process : watched->largest) redactor->black_out(process.name, true);
    }
    nearest = std::max({nearest, share_used(use.resident, watched->limits.memory_bytes),
                        share_used(use.threads, watched->limits.processes)});
    if (auto stop_it = stop_of(watched->limits, attempt.seen)) {
      stop_it->largest = watched->largest;
      stop(attempt.job, *watched, std::move(*stop_it));
    }
  }
  if (look.available && look.reserve != 0) {
    keep_reserve(*look.available, now);
    if (*look.available > 0) nearest = std::max(nearest, share_used(look.reserve, *look.available));
  }
  look_again(processes_, nearest, look.took);
  arm();
}

void LimitWatch::saw_disks(const DiskLook& look) {
  if (!timer_) return;
  double nearest = 0;
  for (const DiskLook::Attempt& attempt : look.attempts) {
    Watched* watched = find(attempt.job, attempt.number);
    if (watched == nullptr || watched->stopped) continue;
    nearest = std::max(nearest, share_used(attempt.bytes, watched->limits.disk_bytes));
    if (auto stop_it = stop_of(watched->limits, attempt.bytes))
      stop(attempt.job, *watched, std::move(*stop_it));
  }
  look_again(disks_, nearest, look.took);
  arm();
}

void LimitWatch::keep_reserve(std::uint64_t available, TimeUs now) {
  constexpr TimeUs kUntilItIsBack = 3 * kSecondUs;
  const std::uint64_t reserve = config_.queue.stop_when_memory_below;
  if (available >= reserve || now < reserve_waits_until_) return;
  std::vector<const MemoryGrowth*> growths;
  std::vector<std::string> jobs;
  for (const auto& [job, watched] : watched_) {
    if (watched.stopped) continue;
    growths.push_back(&watched.growth);
    jobs.push_back(job);
  }
  const auto most = grown_most(growths, reserve);
  if (!most) return;
  Watched& watched = watched_.at(jobs[*most]);
  StopAtLimit stop_it;
  stop_it.reason = schema::StopReason::memory_pressure;
  stop_it.used = watched.growth.resident();
  stop_it.largest = watched.largest;
  stop_it.free_memory = available;
  reserve_waits_until_ = now + kUntilItIsBack;
  stop(jobs[*most], watched, std::move(stop_it));
}

void LimitWatch::stop(const std::string& job, Watched& watched, StopAtLimit stop) {
  watched.stopped = true;
  stop.attempt = watched.attempt;
  spdlog::warn(
      "job {}: attempt {} is stopped ({}): it uses {}", job, watched.attempt,
      schema::EnumNameStopReason(stop.reason),
      stop.reason == schema::StopReason::process_limit ? process_words(stop.used) : size_words(stop.used));
  failpoint("limit.stop");
  hooks_.stop(job, std::move(stop));
}

}  // namespace luzia
