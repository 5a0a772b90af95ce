#include "tools/luziad/attempts/attempts.h"

#include <dirent.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "adapters/job_dir/job_dir.h"
#include "engine/base/failpoint.h"
#include "engine/base/ids.h"
#include "tools/luziad/attempts/check_report.h"
#include "tools/luziad/attempts/exit_lines.h"
#include "tools/luziad/attempts/launch_work.h"
#include "tools/luziad/base/process_watching.h"
#include "tools/luziad/inputs/prompt_commands.h"

namespace luzia {
namespace {

constexpr std::uint64_t kFirstLookMs = 10;
constexpr std::uint64_t kLongestLookMs = 500;
constexpr std::uint64_t kTryAgainMs = 1'000;
constexpr std::size_t kMostSpent = 16;
constexpr std::uint64_t kWholeFile = ~std::uint64_t{0};

/// A temporary shortage on the machine is no fact about the job.
bool may_work_later(const Error& error) {
  return error.code == "out_of_resources" || error.code == "run_file_unreadable";
}

schema::AttemptEndedT ended_without_record(std::uint32_t number) {
  schema::AttemptEndedT end;
  end.attempt = number;
  end.ended_us = wall_now();
  return end;
}

}  // namespace

Attempts::Attempts(uv_loop_t* loop, Setting setting, Workers& workers, const EventLog& log,
                   OutputWatcher& watcher, Report report)
    : loop_(loop),
      setting_(std::move(setting)),
      workers_(workers),
      log_(log),
      watcher_(watcher),
      report_(std::move(report)),
      launcher_(setting_.runner_program),
      signals_(workers),
      late_start_timer_(loop),
      again_timer_(loop) {}

// ------------------------------------------------------------------------------------------ starting

void Attempts::carry_out(const Effect& effect, const JobState& job) {
  if (*closed_) return;
  if (effect.kind == EffectKind::launch) return launch(job);
  if (job.pid != 0) {
    const Claim claim{job.boot_id, {job.runner_pid, job.runner_start}, {job.pid, job.pid_start}};
    return send(effect.kind, {job.job, job.attempt, job.spec->uid}, claim);
  }
  // Not reported as running yet. luzia-run gets the signal during its checks, or as soon as it exists.
  const auto it = attempts_.find(job.job);
  if (it == attempts_.end() || it->second.number != job.attempt) {
    awaited_[job.job] = effect;
  } else {
    send(effect.kind, {job.job, job.attempt, job.spec->uid}, it->second.claim);
  }
}

void Attempts::send(EffectKind kind, const AttemptMark& mark, Claim claim) {
  signals_.run(mark.job, [claim = std::move(claim), kind, mark, run_dir = setting_.run_dir]() mutable {
    if (claim.agent.pid == 0) {
      // It may have started meanwhile.
      const auto written = read_claim(run_dir, mark.job, mark.attempt);
      if (written && *written) claim = **written;
    }
    Status done;
    switch (kind) {
      case EffectKind::launch:
      case EffectKind::deliver_answer:
        return;
      case EffectKind::stop_politely:
        done = stop_attempt(claim, StopForce::polite, mark);
        break;
      case EffectKind::stop_by_force:
        done = stop_attempt(claim, StopForce::forced, mark);
        break;
      case EffectKind::pause_group:
        done = pause_attempt(claim, true, mark);
        break;
      case EffectKind::continue_group:
        done = pause_attempt(claim, false, mark);
        break;
    }
    if (!done) spdlog::warn("job {}: {}", mark.job, done.error().message);
  });
}

bool Attempts::is_stop_awaited(const std::string& job, std::uint32_t number) const {
  const auto it = awaited_.find(job);
  if (it == awaited_.end() || it->second.attempt != number) return false;
  return it->second.kind == EffectKind::stop_politely || it->second.kind == EffectKind::stop_by_force;
}

/// Sends the effect that became due before luzia-run existed.
void Attempts::send_awaited(const std::string& job, const Attempt& attempt) {
  const auto it = awaited_.find(job);
  if (it == awaited_.end() || it->second.attempt != attempt.number) return;
  send(it->second.kind, {job, attempt.number, attempt.uid}, attempt.claim);
  awaited_.erase(it);
}

void Attempts::launch(const JobState& job) {
  failpoint("launch.begin");
  if (job.boot_id != setting_.boot_id) return adopt(job);
  auto state = std::make_shared<JobState>(job);
  if (!gets_template(job) || !setting_.prompt) return launch_with(state, {});
  setting_.prompt(job, [this, closed = closed_, state](PromptBuild build) {
    if (!*closed) launch_with(state, std::move(build));
  });
}

void Attempts::launch_with(const std::shared_ptr<JobState>& state, PromptBuild build) {
  auto result = std::make_shared<Result<Claim>>(tl::unexpected(Error{}));
  const bool is_other = state->spec->uid != ::geteuid() && !setting_.attempts_socket.empty();
  LaunchPlaces places{setting_.run_dir, is_other ? setting_.attempts_socket : setting_.socket_path,
                      setting_.open_files, std::nullopt, setting_.client_program};
  if (setting_.credential) places.credential = setting_.credential(state->job, state->attempt);
  if (!spent_.empty()) {
    places.spent = std::move(spent_.back());
    spent_.pop_back();
  }
  places.limits = setting_.limits;
  places.line_buffered = setting_.line_buffered && setting_.line_buffered(state->spec->agent);
  places.build_prompt = std::move(build);
  places.prompt_record = std::make_shared<schema::PromptBuiltT>();
  workers_.run([launcher = launcher_, &log = log_, state, result,
                places] { *result = prepare_and_launch(launcher, log, *state, places); },
               [this, closed = closed_, state, result, record = places.prompt_record] {
                 if (*closed) return;
                 if (*result && !record->template_.empty())
                   report_(state->job, NotePrompt{std::move(*record)});
                 launched(state->job, state->attempt, *result, state);
               });
}

void Attempts::launched(const std::string& job, std::uint32_t number, const Result<Claim>& claim,
                        const std::shared_ptr<JobState>& state) {
  failpoint("launch.done");
  if (claim) {
    short_of_resources_.erase(job);
    return follow(*state, *claim, true);
  }
  if (may_work_later(claim.error()) && !is_stop_awaited(job, number)) {
    if (short_of_resources_.insert(job).second) {
      spdlog::warn("job {}: cannot start attempt {} yet: {}; trying again until it works ({})", job, number,
                   claim.error().message, claim.error().hint);
    }
    return after_a_while([this, state] { launch(*state); });
  }
  short_of_resources_.erase(job);
  spdlog::warn("job {}: cannot start attempt {}: {}", job, number, claim.error().message);
  // luzia-run may have written its claim: then the claim decides.
  const auto written = read_claim(setting_.run_dir, job, number);
  if (written && *written) return follow(*state, **written, true);
  const bool unread = !written && written.error().code != "claim_unreadable";
  // It may still start; launching again cannot run it twice.
  if (unread || claim.error().code == "launch_unconfirmed") {
    return after_a_while([this, state] { launch(*state); });
  }
  schema::AttemptEndedT end = ended_without_record(number);
  const Error& why = claim.error();
  end.start_error = why.hint.empty() ? why.message : why.message + "; " + why.hint;
  report_(job, RecordExit{std::move(end), std::nullopt});
}

WatchSpec Attempts::watch_spec(const JobState& job, const Attempt& attempt, bool claimed) const {
  WatchSpec spec;
  spec.job = job.job;
  spec.attempt = job.attempt;
  spec.job_dir = job.spec->job_dir;
  spec.owner_uid = job.spec->uid;
  spec.final_size = [run_dir = setting_.run_dir, id = job.job,
                     number = job.attempt]() -> std::optional<std::uint64_t> {
    const auto record = read_exit_record(run_dir, id, number);
    if (!record || !*record) return std::nullopt;
    return (*record)->output_bytes;
  };
  if (const auto copied = claimed ? std::nullopt : copied_exit(job.job, attempt)) {
    spec.final_size = [size = copied->end.output_bytes] { return std::optional(size); };
  }
  if (job.checkpoint) spec.checkpoint = *job.checkpoint;
  spec.lines_before = job.output_lines;
  spec.output_format = job.spec->output_format;
  if (setting_.issues) spec.issues = setting_.issues(job.spec->project);
  return spec;
}

Attempts::Attempt& Attempts::watch(const JobState& job, const Claim& claim, bool claimed) {
  Attempt& attempt = attempts_[job.job];
  attempt = Attempt{};
  attempt.number = job.attempt;
  attempt.uid = job.spec->uid;
  attempt.job_dir = job.spec->job_dir;
  attempt.project = job.spec->project;
  attempt.claim = claim;
  watcher_.forget(job.job);
  watcher_.watch(watch_spec(job, attempt, claimed));
  return attempt;
}

void Attempts::follow(const JobState& job, const Claim& claim, bool claimed) {
  Attempt& attempt = watch(job, claim, claimed);
  if (job.pid == 0) {
    if (claim.agent.pid != 0) {
      report_start(job.job, attempt);
    } else {
      await_late_starts(kFirstLookMs);
    }
  }
  send_awaited(job.job, attempt);
  watch_runner(job.job, job.attempt);
}

void Attempts::report_start(const std::string& job, Attempt& attempt) {
  const Claim& claim = attempt.claim;
  failpoint("start.report");
  report_(job, ReportStarted{attempt.number, claim.agent.pid, claim.runner.pid, claim.agent.start,
                             claim.runner.start});
}

/// Checks again for attempts whose preflight checks still run: their claims name the agent later.
void Attempts::await_late_starts(std::uint64_t wait_ms) {
  // Do not restart a running timer: frequent starts must not postpone it.
  if (std::exchange(awaits_late_starts_, true)) return;
  late_start_timer_.start(wait_ms, [this, wait_ms] { look_for_late_starts(wait_ms); });
}

void Attempts::look_for_late_starts(std::uint64_t waited_ms) {
  awaits_late_starts_ = false;
  bool some_left = false;
  for (auto& [id, attempt] : attempts_) {
    if (attempt.claim.agent.pid == 0 && !attempt.ending && !learn_start(id, attempt).value_or(false)) {
      some_left = true;
    }
  }
  if (some_left) await_late_starts(std::min(2 * waited_ms, kLongestLookMs));
}

/// Reports the agent if the claim names it; false if it does not yet.
Result<bool> Attempts::learn_start(const std::string& job, Attempt& attempt) {
  if (attempt.claim.agent.pid != 0) return true;
  const auto claim = LUZIA_TRY(read_claim(setting_.run_dir, job, attempt.number));
  if (!claim || claim->agent.pid == 0) return false;
  attempt.claim = *claim;
  report_start(job, attempt);
  return true;
}

void Attempts::adopt(const JobState& job) {
  if (job.boot_id == setting_.boot_id) {
    auto claim = read_claim(setting_.run_dir, job.job, job.attempt);
    if (claim && *claim) return follow(job, **claim, true);
    const Claim as_recorded{job.boot_id, {job.runner_pid, job.runner_start}, {job.pid, job.pid_start}};
    return follow(job, as_recorded, false);
  }
  // It started before the machine's last restart: only the exit record can say more.
  Claim gone;
  gone.boot_id = job.boot_id;
  watch(job, gone, false);
  after_record(job.job, job.attempt, true);
}

void Attempts::when_taken_up(std::function<void()> then) {
  for (const auto& [job, attempt] : attempts_) {
    if (!attempt.runner && !attempt.agent) to_take_up_.insert(job);
  }
  if (to_take_up_.empty()) return then();
  when_taken_up_ = std::move(then);
}

// -------------------------------------------------------------------------------------------- ending

Attempts::Attempt* Attempts::find(const std::string& job, std::uint32_t number) {
  const auto it = attempts_.find(job);
  return it != attempts_.end() && it->second.number == number && !it->second.ending ? &it->second : nullptr;
}

void Attempts::after_a_while(std::function<void()> then) {
  again_.push_back(std::move(then));
  if (again_.size() > 1) return;
  again_timer_.start(kTryAgainMs, [this] {
    for (const auto& next : std::exchange(again_, {})) next();
  });
}

/// A failed check is no fact about the job: retry it.
void Attempts::try_again(const std::string& job, Attempt& attempt, const Error& why,
                         std::function<void()> then) {
  if (!std::exchange(attempt.reported_trouble, true)) {
    spdlog::warn("job {}: {}; looking again until it works", job, why.message);
  }
  after_a_while(std::move(then));
}

void Attempts::watch_runner(const std::string& job, std::uint32_t number) {
  Attempt* attempt = find(job, number);
  if (attempt == nullptr) return;
  auto watch = watch_process(loop_, attempt->claim.runner, [this, job, number] { runner_gone(job, number); });
  if (!watch) return try_again(job, *attempt, watch.error(), [=, this] { watch_runner(job, number); });
  attempt->runner = std::move(*watch);
  if (!attempt->runner) runner_gone(job, number);
}

/// The agent outlived its luzia-run. False: it is gone too.
bool Attempts::watch_agent(const std::string& job, Attempt& attempt) {
  const std::uint32_t number = attempt.number;
  const bool is_known = attempt.agent != nullptr;
  auto watch = watch_process(loop_, attempt.claim.agent, [this, job, number] { agent_gone(job, number); });
  if (!watch) {
    try_again(job, attempt, watch.error(), [=, this] { runner_gone(job, number); });
    return true;
  }
  attempt.agent = std::move(*watch);
  if (attempt.agent && !is_known) report_(job, ReportRunnerGone{number});
  return attempt.agent != nullptr;
}

// Release the watch first: if descriptors are short, the end is read with this one.
void Attempts::runner_gone(const std::string& job, std::uint32_t number) {
  if (Attempt* attempt = find(job, number)) attempt->runner.reset();
  after_record(job, number, false);
}
void Attempts::agent_gone(const std::string& job, std::uint32_t number) {
  if (Attempt* attempt = find(job, number)) attempt->agent.reset();
  after_record(job, number, true);
}

/// luzia-run (and perhaps the agent) is gone: the exit record says how the attempt ended; otherwise it is
/// inferred.
void Attempts::after_record(const std::string& job, std::uint32_t number, bool agent_gone) {
  Attempt* attempt = find(job, number);
  if (attempt == nullptr) return;
  const auto again = [=, this] { after_record(job, number, agent_gone); };
  auto record = read_exit_record(setting_.run_dir, job, number);
  const bool damaged = !record && record.error().code == "exit_record_unreadable";
  if (!record && !damaged) return try_again(job, *attempt, record.error(), again);
  // The agent may have started since the claim was last read, or be about to. Its process then shares the
  // lock (run_record.h), so check the lock first.
  const bool held = attempt->claim.agent.pid == 0 && is_claim_held(setting_.run_dir, job, number);
  const auto started = learn_start(job, *attempt);
  if (!started && started.error().code != "claim_unreadable") {
    return try_again(job, *attempt, started.error(), again);
  }
  if (record && *record) {
    attempt->left_record = true;
    const std::uint64_t size = (*record)->output_bytes;
    (*record)->attempt = number;
    return end(job, number, {std::move(**record), std::nullopt}, size);
  }
  if (damaged) {
    const std::string kept = set_aside_exit_record(setting_.run_dir, job, number);
    spdlog::error("job {}: {}; kept as {}", job, record.error().message, kept);
  }
  if (!agent_gone && watch_agent(job, *attempt)) return;
  if (!agent_gone && !damaged && attempt->claim.agent.pid == 0) {
    if (held) return after_a_while(again);
    return end_unstarted(job, *attempt);
  }
  if (auto copied = copied_exit(job, *attempt)) {
    spdlog::warn("job {}: attempt {} ended before this log knows of it; its end is as exit.json says", job,
                 number);
    const std::uint64_t size = copied->end.output_bytes;
    return end(job, number, std::move(*copied), size);
  }
  end_unless_survived(job, *attempt);
}

/// luzia-run and the agent are gone. The attempt ends only when its other processes are gone too.
void Attempts::end_unless_survived(const std::string& job, const Attempt& attempt) {
  if (attempt.claim.boot_id != setting_.boot_id) return end_lost(job, attempt);
  const std::uint32_t number = attempt.number;
  auto found = std::make_shared<Result<std::optional<ProcessId>>>(std::nullopt);
  workers_.run([found, claim = attempt.claim,
                mark = AttemptMark{job, number, attempt.uid}] { *found = find_survivor(claim, mark); },
               [this, closed = closed_, found, job, number] {
                 if (*closed) return;
                 Attempt* attempt = find(job, number);
                 if (attempt == nullptr) return;
                 if (!*found) {
                   return try_again(job, *attempt, found->error(), [=, this] { agent_gone(job, number); });
                 }
                 if (!**found) return end_lost(job, *attempt);
                 watch_survivor(job, *attempt, ***found);
               });
}

void Attempts::watch_survivor(const std::string& job, Attempt& attempt, const ProcessId& survivor) {
  const auto look_again = [this, job, number = attempt.number] { agent_gone(job, number); };
  auto watch = watch_process(loop_, survivor, look_again);
  if (!watch) return try_again(job, attempt, watch.error(), look_again);
  attempt.agent = std::move(*watch);
  if (!attempt.agent) return look_again();
  spdlog::warn("job {}: luzia-run and the agent are gone, process {} of its group lives on", job,
               survivor.pid);
  report_(job, ReportRunnerGone{attempt.number, survivor.pid});
  take_up(job);
}

void Attempts::end_lost(const std::string& job, const Attempt& attempt) {
  schema::AttemptEndedT lost = ended_without_record(attempt.number);
  lost.evidence_lost = true;
  const bool restarted = attempt.claim.boot_id != setting_.boot_id;
  find(job, attempt.number)->inferred = true;
  end(job, attempt.number,
      {std::move(lost),
       restarted ? schema::EndReason::machine_restarted : schema::EndReason::runner_and_agent_gone},
      kWholeFile);
}

/// A claim exists until the end is in the log. If there is none, the end was in another log, and this one was
/// restored from a backup. Then use the copy in the job directory, unless another user could have written it:
/// the run files are the daemon's own.
std::optional<RecordExit> Attempts::copied_exit(const std::string& job, const Attempt& attempt) const {
  const auto claim = read_claim(setting_.run_dir, job, attempt.number);
  if (!claim || *claim || attempt.uid != ::geteuid()) return std::nullopt;
  auto end = read_exit_json(attempt.job_dir, job, attempt.number, attempt.uid, ::getegid());
  if (!end) return std::nullopt;
  return RecordExit{std::move(*end), std::nullopt, true};
}

/// luzia-run was killed before it started the agent. First kill what its checks left running, as it would
/// have done.
void Attempts::end_unstarted(const std::string& job, const Attempt& attempt) {
  const std::uint32_t number = attempt.number;
  workers_.run([job, number, uid = attempt.uid] { kill_left_by_checks(job, number, uid); },
               [this, closed = closed_, job, number] {
                 if (*closed || find(job, number) == nullptr) return;
                 schema::AttemptEndedT unstarted = ended_without_record(number);
                 unstarted.start_error = "luzia-run was killed before it started the agent";
                 find(job, number)->inferred = true;
                 end(job, number, {std::move(unstarted), std::nullopt}, kWholeFile);
               });
}

/// Records the end only after all output was read and all prompts in files were decided.
void Attempts::end(const std::string& job, std::uint32_t number, RecordExit exit, std::uint64_t output_size) {
  find(job, number)->ending = true;
  auto report = [this, closed = closed_, job, number, exit = std::make_shared<RecordExit>(std::move(exit))] {
    if (*closed) return;
    if (const LiveTail* tail = watcher_.tail(job)) exit->end.last_line = tail->last_line;
    report_end(job, number, exit);
  };
  watcher_.finish(job, output_size, [this, job, report = std::move(report)] {
    if (!setting_.last_requests) return report();
    setting_.last_requests(job, report);
  });
}

/// A failed verification is told to the agent.
void Attempts::report_end(const std::string& job, std::uint32_t number, std::shared_ptr<RecordExit> exit) {
  const auto it = attempts_.find(job);
  if (exit->end.verified.value_or(true) || it == attempts_.end() || it->second.number != number) {
    failpoint("end.report");
    return report_(job, *exit);
  }
  const auto matcher = setting_.issues ? setting_.issues(it->second.project)() : nullptr;
  workers_.run([exit, dir = it->second.job_dir, uid = it->second.uid,
                matcher] { exit->report = salted_text(0, check_report(dir, uid, exit->end, matcher.get())); },
               [this, closed = closed_, job, exit] {
                 if (*closed) return;
                 failpoint("end.report");
                 report_(job, *exit);
               });
}

void Attempts::job_changed(const JobState& job) {
  if (job.attempt_over || job.state == schema::JobState::queued) awaited_.erase(job.job);
  const auto it = attempts_.find(job.job);
  if (it == attempts_.end() || !it->second.ending) return;
  const std::uint32_t number = it->second.number;
  if (job.attempt == number && !job.attempt_over && job.state != schema::JobState::queued) return;
  failpoint("end.forget");
  const bool left_record = it->second.left_record;
  if (it->second.inferred && is_terminal(job.state))
    workers_.run(exit_line_work(setting_.run_dir, job), [] {});
  attempts_.erase(it);
  watcher_.forget(job.job);
  take_up(job.job);
  if (left_record && spent_.size() < kMostSpent) return spent_.push_back({job.job, number});
  workers_.run([run_dir = setting_.run_dir, id = job.job, number] { remove_run_files(run_dir, id, number); },
               [] {});
}

/// The end of this attempt is in the log, or the attempt turned out to be alive.
void Attempts::take_up(const std::string& job) {
  if (to_take_up_.erase(job) > 0 && to_take_up_.empty()) std::exchange(when_taken_up_, nullptr)();
}

void Attempts::sweep_run_dir(const std::function<bool(const std::string& job)>& is_live) {
  DIR* dir = opendir(setting_.run_dir.c_str());
  if (dir == nullptr) return;
  while (const dirent* entry = readdir(dir)) {
    const auto spent = attempt_of_run_file(entry->d_name);
    if (!spent || spent->job.size() != kIdLength || is_live(spent->job)) continue;
    remove_run_files(setting_.run_dir, spent->job, spent->attempt);
  }
  closedir(dir);
}

void Attempts::close() {
  *closed_ = true;
  attempts_.clear();
  to_take_up_.clear();
  again_.clear();
  again_timer_.stop();
  late_start_timer_.stop();
}

}  // namespace luzia
