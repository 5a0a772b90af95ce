#include "tools/luziad/watching/host_watch.h"

#include "adapters/launcher/launcher.h"

namespace luzia {
namespace {

constexpr std::uint64_t kHostLookMs = 1'000;

bool reaches_hosts(const JobState& job) {
  return job.spec && job.spec->sandbox && !job.spec->sandbox->hosts.empty();
}

bool runs_attempt(const JobState& job) {
  return job.runner_pid != 0 && !job.attempt_over && !is_terminal(job.state);
}

ReportHosts hosts_of(const std::string& run_dir, const std::string& job, std::uint32_t attempt) {
  ContactedHosts contacted = read_hosts(run_dir, job, attempt);
  return {attempt, std::move(contacted.hosts), contacted.more};
}

}  // namespace

HostWatch::HostWatch(uv_loop_t* loop, Workers& workers, Hooks hooks)
    : workers_(workers), hooks_(std::move(hooks)), timer_(std::make_unique<Timer>(loop)) {}

void HostWatch::job_changed(const JobState& job) {
  if (!timer_) return;
  // It may have gone on with an agent whose sandbox has another network, or none.
  if (!reaches_hosts(job) || !runs_attempt(job)) {
    watched_.erase(job.job);
    return;
  }
  Watched& watched = watched_[job.job];
  if (watched.attempt != job.attempt) watched = {job.job, job.attempt, job.hosts_told};
  arm();
}

void HostWatch::close() {
  *closed_ = true;
  timer_.reset();
  watched_.clear();
}

void HostWatch::conclude(const std::string& job, std::uint32_t attempt) {
  const JobState* state = hooks_.find_job(job);
  if (state == nullptr || !reaches_hosts(*state) || state->attempt != attempt) return;
  watched_.erase(job);
  ReportHosts all = hosts_of(hooks_.run_dir, job, attempt);
  all.over = true;
  if (!all.hosts.empty()) report(job, std::move(all));
}

void HostWatch::arm() {
  if (!timer_ || watched_.empty() || looking_ || timer_->running()) return;
  timer_->start(kHostLookMs, [this] { look(); });
}

void HostWatch::look() {
  if (watched_.empty()) return;
  struct Look {
    Watched of;
    ReportHosts found = {};
  };
  auto looks = std::make_shared<std::vector<Look>>();
  for (const auto& [job, watched] : watched_) looks->push_back({watched});
  looking_ = true;
  workers_.run(
      [looks, run_dir = hooks_.run_dir] {
        for (Look& each : *looks) each.found = hosts_of(run_dir, each.of.job, each.of.attempt);
      },
      [this, closed = closed_, looks] {
        if (*closed) return;
        looking_ = false;
        for (Look& each : *looks) {
          const auto it = watched_.find(each.of.job);
          const bool is_live = it != watched_.end() && it->second.attempt == each.of.attempt;
          if (!is_live || each.found.hosts.size() <= it->second.hosts) continue;
          it->second.hosts = each.found.hosts.size();
          report(each.of.job, std::move(each.found));
        }
        arm();
      });
}

void HostWatch::report(const std::string& job, ReportHosts found) const {
  if (const auto redactor = hooks_.redactor ? hooks_.redactor(job) : nullptr) {
    for (schema::HostUseT& use : found.hosts) redactor->black_out(use.host, false);
  }
  hooks_.report(job, std::move(found));
}

}  // namespace luzia
