#include "tools/luziad/attempts/attempts.h"

#include <dirent.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "adapters/launcher/limit_cgroups.h"
#include "engine/base/failpoint.h"
#include "engine/base/ids.h"
#include "engine/job/job_rerouting.h"
#include "tools/luziad/attempts/exit_lines.h"

namespace luzia {

Attempts::Attempts(uv_loop_t* loop, Setting setting, Workers& workers, const EventLog& log,
                   OutputWatcher& watcher, Report report)
    : issues_(std::move(setting.issues)),
      cgroups_(setting.launch.cgroups),
      secrets_(setting.launch.secrets),
      watcher_(watcher),
      context_{loop,
               workers,
               std::move(setting.run_dir),
               std::move(setting.boot_id),
               std::move(report),
               std::make_unique<Later>(loop)},
      signals_(context_),
      starts_(context_),
      endings_(context_, starts_, watcher, std::move(setting.last_requests)),
      launches_(std::move(setting.launch), context_, signals_, log,
                [this](const JobState& job, const Claim& claim) { follow(job, claim, true); }) {}

void Attempts::carry_out(const Effect& effect, const JobState& job) {
  if (*context_.closed) return;
  if (effect.kind != EffectKind::launch) return signals_.carry_out(effect, job);
  if (job.boot_id != context_.boot_id) return adopt(job);
  launches_.begin(job);
}

WatchSpec Attempts::watch_spec(const JobState& job, const LiveAttempt& attempt, bool claimed) const {
  WatchSpec spec;
  spec.job = job.job;
  spec.attempt = job.attempt;
  spec.job_dir = job.spec->job_dir;
  spec.owner_uid = job.spec->uid;
  spec.final_size = [run_dir = context_.run_dir, id = job.job,
                     number = job.attempt]() -> std::optional<std::uint64_t> {
    const auto record = read_exit_record(run_dir, id, number);
    if (!record || !*record) return std::nullopt;
    return (*record)->output_bytes;
  };
  if (!job.spec->verify.empty())
    spec.checks_from = [run_dir = context_.run_dir, id = job.job, number = job.attempt] {
      return read_checks_from(run_dir, id, number);
    };
  if (const auto copied = claimed ? std::nullopt : copied_exit(context_.run_dir, job.job, attempt)) {
    spec.final_size = [size = copied->end.output_bytes] { return std::optional(size); };
    spec.checks_from = [from = checks_from(copied->end)] { return from; };
  }
  if (job.checkpoint) spec.checkpoint = *job.checkpoint;
  spec.lines_before = job.output_lines;
  spec.output_format = job.spec->output_format;
  if (issues_) spec.issues = issues_(job.spec->project);
  if (secrets_ != nullptr) spec.redactor = secrets_->known(job.job);
  return spec;
}

/// How its limits are held. Sets them again in its cgroup, which has lost them if systemd has restarted the
/// daemon.
void Attempts::note_limits(const JobState& job, LiveAttempt& attempt) const {
  if (!job.spec->limits || !cgroups_) return;
  const std::string folder = cgroups_->folder_of(job.job, job.attempt);
  if (!folder.empty() && ::access(folder.c_str(), F_OK) == 0) {
    attempt.cgroup = folder;
    const auto set = cgroups_->prepare(job.job, job.attempt, *job.spec->limits);
    if (!set) spdlog::warn("{}", set.error().message);
  }
  attempt.limits_not_held = cgroups_->not_held(*job.spec->limits, !attempt.cgroup.empty());
}

LiveAttempt& Attempts::watch(const JobState& job, const Claim& claim, bool claimed) {
  LiveAttempt& attempt = context_.live.by_job[job.job];
  attempt = LiveAttempt{};
  attempt.number = job.attempt;
  attempt.uid = job.spec->uid;
  attempt.job_dir = job.spec->job_dir;
  attempt.is_verified = !job.spec->verify.empty();
  if (secrets_ != nullptr) attempt.redactor = secrets_->known(job.job);
  if (issues_) attempt.issues = issues_(job.spec->project);
  attempt.claim = claim;
  note_limits(job, attempt);
  watcher_.forget(job.job);
  watcher_.watch(watch_spec(job, attempt, claimed));
  return attempt;
}

/// Nothing of the output may be recorded before.
bool Attempts::knows_secrets(const JobState& job, std::function<void(const JobState&)> then) {
  if (secrets_ == nullptr || !has_secrets(job)) return true;
  const schema::JobSpecT all = spec_with_all_secrets(job);
  if (secrets_->is_settled(job.job, all)) return true;
  const auto claim = read_claim(context_.run_dir, job.job, job.attempt);
  const bool may_live = claim && *claim && (*claim)->boot_id == context_.boot_id;
  const bool has_told =
      may_live && !job.spec->secrets.empty() && secrets_->ask_runner(job.job, *job.spec, (*claim)->runner);
  if (has_told && secrets_->is_settled(job.job, all)) return true;
  const auto state = std::make_shared<const JobState>(job);
  secrets_->await(job.job);  // what its agent says meanwhile is refused
  context_.workers.run(
      [secrets = secrets_, state] { secrets->read_again(state->job, spec_with_all_secrets(*state)); },
      [closed = context_.closed, state, then = std::move(then)] {
        if (!*closed) then(*state);
      });
  return false;
}

void Attempts::follow(const JobState& job, const Claim& claim, bool claimed) {
  const auto again = [this, claim, claimed](const JobState& then) { follow(then, claim, claimed); };
  if (!knows_secrets(job, again)) return;
  const LiveAttempt& attempt = watch(job, claim, claimed);
  if (job.pid == 0) {
    if (claim.agent.pid != 0) {
      starts_.report(job.job, attempt);
    } else {
      starts_.await_late();
    }
  }
  signals_.send_awaited(job.job, attempt);
  endings_.watch_runner(job.job, job.attempt);
}

void Attempts::adopt(const JobState& job) {
  if (!knows_secrets(job, [this](const JobState& then) { adopt(then); })) return;
  if (job.boot_id == context_.boot_id) {
    auto claim = read_claim(context_.run_dir, job.job, job.attempt);
    if (claim && *claim) return follow(job, **claim, true);
    const Claim as_recorded{job.boot_id, {job.runner_pid, job.runner_start}, {job.pid, job.pid_start}};
    return follow(job, as_recorded, false);
  }
  // It started before the machine's last restart: only the exit record can say more.
  Claim gone;
  gone.boot_id = job.boot_id;
  watch(job, gone, false);
  endings_.after_record(job.job, job.attempt, true);
}

void Attempts::job_changed(const JobState& job) {
  const bool is_over = job.attempt_over || job.state == schema::JobState::queued;
  if (is_over) signals_.forget(job.job);
  // Also of an attempt that could not start.
  if (is_over && secrets_ != nullptr) secrets_->attempt_over(job.job);
  auto& live = context_.live.by_job;
  const auto it = live.find(job.job);
  if (it == live.end() || !it->second.ending) return;
  const std::uint32_t number = it->second.number;
  if (job.attempt == number && !job.attempt_over && job.state != schema::JobState::queued) return;
  failpoint("end.forget");
  const bool left_record = it->second.left_record;
  if (it->second.inferred && is_terminal(job.state))
    context_.workers.run(exit_line_work(context_.run_dir, job), [] {});
  live.erase(it);
  watcher_.forget(job.job);
  endings_.take_up(job.job);
  if (left_record && launches_.reuse({job.job, number})) return;
  context_.workers.run(
      [run_dir = context_.run_dir, id = job.job, number] { remove_run_files(run_dir, id, number); }, [] {});
}

void Attempts::sweep_run_dir(const std::function<bool(const std::string& job)>& is_live) {
  DIR* dir = opendir(context_.run_dir.c_str());
  if (dir == nullptr) return;
  while (const dirent* entry = readdir(dir)) {
    const auto spent = attempt_of_run_file(entry->d_name);
    if (!spent || spent->job.size() != kIdLength || is_live(spent->job)) continue;
    remove_run_files(context_.run_dir, spent->job, spent->attempt);
  }
  closedir(dir);
  if (cgroups_) cgroups_->sweep(is_live);
}

void Attempts::close() {
  *context_.closed = true;
  context_.live.by_job.clear();
  context_.later->stop();
  endings_.stop();
  starts_.stop();
}

}  // namespace luzia
