#include "tools/luziad/attempts/endings.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <utility>

#include "adapters/job_dir/job_dir.h"
#include "engine/base/failpoint.h"
#include "tools/luziad/attempts/check_report.h"
#include "tools/luziad/base/process_watching.h"
#include "tools/luziad/base/salted_text.h"

namespace luzia {
namespace {

constexpr std::uint64_t kWholeFile = ~std::uint64_t{0};

}  // namespace

/// A failed check is no fact about the job: retry it.
void Endings::try_again(const std::string& job, LiveAttempt& attempt, const Error& why,
                        std::function<void()> then) {
  if (!std::exchange(attempt.reported_trouble, true)) {
    spdlog::warn("job {}: {}; looking again until it works", job, why.message);
  }
  attempts_.later->run(std::move(then));
}

void Endings::watch_runner(const std::string& job, std::uint32_t number) {
  LiveAttempt* attempt = attempts_.live.find(job, number);
  if (attempt == nullptr) return;
  auto watch =
      watch_process(attempts_.loop, attempt->claim.runner, [this, job, number] { runner_gone(job, number); });
  if (!watch) return try_again(job, *attempt, watch.error(), [=, this] { watch_runner(job, number); });
  attempt->runner = std::move(*watch);
  if (!attempt->runner) runner_gone(job, number);
}

/// The agent outlived its luzia-run. False: it is gone too.
bool Endings::watch_agent(const std::string& job, LiveAttempt& attempt) {
  const std::uint32_t number = attempt.number;
  const bool is_known = attempt.agent != nullptr;
  auto watch =
      watch_process(attempts_.loop, attempt.claim.agent, [this, job, number] { agent_gone(job, number); });
  if (!watch) {
    try_again(job, attempt, watch.error(), [=, this] { runner_gone(job, number); });
    return true;
  }
  attempt.agent = std::move(*watch);
  if (attempt.agent && !is_known) attempts_.report(job, ReportRunnerGone{number});
  return attempt.agent != nullptr;
}

// Release the watch first: if descriptors are short, the end is read with this one.
void Endings::runner_gone(const std::string& job, std::uint32_t number) {
  if (LiveAttempt* attempt = attempts_.live.find(job, number)) attempt->runner.reset();
  after_record(job, number, false);
}
void Endings::agent_gone(const std::string& job, std::uint32_t number) {
  if (LiveAttempt* attempt = attempts_.live.find(job, number)) attempt->agent.reset();
  after_record(job, number, true);
}

void Endings::after_record(const std::string& job, std::uint32_t number, bool agent_gone) {
  LiveAttempt* attempt = attempts_.live.find(job, number);
  if (attempt == nullptr) return;
  const auto again = [=, this] { after_record(job, number, agent_gone); };
  auto record = read_left_record(attempts_.run_dir, job, number);
  const bool damaged = !record && record.error().code == "exit_record_unreadable";
  if (!record && !damaged) return try_again(job, *attempt, record.error(), again);
  // The agent may have started since the claim was last read, or be about to. Its process then shares the
  // lock (run_record.h), so check the lock first.
  const bool held = attempt->claim.agent.pid == 0 && is_claim_held(attempts_.run_dir, job, number);
  const auto started = starts_.learn(job, *attempt);
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
    const std::string kept = set_aside_exit_record(attempts_.run_dir, job, number);
    spdlog::error("job {}: {}; kept as {}", job, record.error().message, kept);
  }
  if (!agent_gone && watch_agent(job, *attempt)) return;
  if (!agent_gone && !damaged && attempt->claim.agent.pid == 0) {
    if (held) return attempts_.later->run(again);
    return end_unstarted(job, *attempt);
  }
  if (auto copied = copied_exit(attempts_.run_dir, job, *attempt)) {
    spdlog::warn("job {}: attempt {} ended before this log knows of it; its end is as exit.json says", job,
                 number);
    const std::uint64_t size = copied->end.output_bytes;
    return end(job, number, std::move(*copied), size);
  }
  end_unless_survived(job, *attempt);
}

/// luzia-run and the agent are gone. The attempt ends only when its other processes are gone too. Checks of
/// its work die with luzia-run; what they had started would disturb the next attempt.
void Endings::end_unless_survived(const std::string& job, const LiveAttempt& attempt) {
  if (attempt.claim.boot_id != attempts_.boot_id) return end_lost(job, attempt);
  const std::uint32_t number = attempt.number;
  auto found = std::make_shared<Result<std::optional<ProcessId>>>(std::nullopt);
  attempts_.workers.run(
      [found, claim = attempt.claim, mark = AttemptMark{job, number, attempt.uid},
       is_verified = attempt.is_verified] {
        *found = find_survivor(claim, mark);
        if (is_verified && *found && !**found) kill_left_by_checks(mark.job, mark.attempt, mark.uid);
      },
      [this, closed = attempts_.closed, found, job, number] {
        if (*closed) return;
        LiveAttempt* attempt = attempts_.live.find(job, number);
        if (attempt == nullptr) return;
        if (!*found) {
          return try_again(job, *attempt, found->error(), [=, this] { agent_gone(job, number); });
        }
        if (!**found) return end_lost(job, *attempt);
        watch_survivor(job, *attempt, ***found);
      });
}

void Endings::watch_survivor(const std::string& job, LiveAttempt& attempt, const ProcessId& survivor) {
  const auto look_again = [this, job, number = attempt.number] { agent_gone(job, number); };
  auto watch = watch_process(attempts_.loop, survivor, look_again);
  if (!watch) return try_again(job, attempt, watch.error(), look_again);
  attempt.agent = std::move(*watch);
  if (!attempt.agent) return look_again();
  spdlog::warn("job {}: luzia-run and the agent are gone, process {} of its group lives on", job,
               survivor.pid);
  attempts_.report(job, ReportRunnerGone{attempt.number, survivor.pid});
  take_up(job);
}

void Endings::end_lost(const std::string& job, const LiveAttempt& attempt) {
  schema::AttemptEndedT lost = ended_without_record(attempt.number);
  lost.evidence_lost = true;
  const bool restarted = attempt.claim.boot_id != attempts_.boot_id;
  attempts_.live.find(job, attempt.number)->inferred = true;
  end(job, attempt.number,
      {std::move(lost),
       restarted ? schema::EndReason::machine_restarted : schema::EndReason::runner_and_agent_gone},
      kWholeFile);
}

/// luzia-run was killed before it started the agent. First kill what its checks left running, as it would
/// have done.
void Endings::end_unstarted(const std::string& job, const LiveAttempt& attempt) {
  const std::uint32_t number = attempt.number;
  attempts_.workers.run([job, number, uid = attempt.uid] { kill_left_by_checks(job, number, uid); },
                        [this, closed = attempts_.closed, job, number] {
                          if (*closed || attempts_.live.find(job, number) == nullptr) return;
                          schema::AttemptEndedT unstarted = ended_without_record(number);
                          unstarted.start_error = "luzia-run was killed before it started the agent";
                          attempts_.live.find(job, number)->inferred = true;
                          end(job, number, {std::move(unstarted), std::nullopt}, kWholeFile);
                        });
}

/// Records the end only after all output was read and all prompts in files were decided.
void Endings::end(const std::string& job, std::uint32_t number, RecordExit exit, std::uint64_t output_size) {
  attempts_.live.find(job, number)->ending = true;
  auto report = [this, closed = attempts_.closed, job, number,
                 exit = std::make_shared<RecordExit>(std::move(exit))] {
    if (*closed) return;
    if (const LiveTail* tail = watcher_.tail(job)) exit->end.last_line = tail->last_line;
    report_end(job, number, exit);
  };
  watcher_.finish(job, output_size, [this, job, report = std::move(report)] {
    if (!last_requests_) return report();
    last_requests_(job, report);
  });
}

/// A failed verification is told to the agent.
void Endings::report_end(const std::string& job, std::uint32_t number, std::shared_ptr<RecordExit> exit) {
  const auto report = [this, closed = attempts_.closed, job, exit] {
    if (*closed) return;
    failpoint("end.report");
    attempts_.report(job, *exit);
  };
  const auto it = attempts_.live.by_job.find(job);
  const bool refuted = !exit->end.verified.value_or(true);
  if (!refuted || it == attempts_.live.by_job.end() || it->second.number != number) return report();
  const LiveAttempt& attempt = it->second;
  const auto matcher = attempt.issues ? attempt.issues() : nullptr;
  attempts_.workers.run(
      [exit, dir = attempt.job_dir, uid = attempt.uid, matcher, redactor = attempt.redactor] {
        exit->report = salted_text(0, check_report(dir, uid, exit->end, matcher.get(), redactor.get()));
      },
      report);
}

/// A claim exists until the end is in the log. If there is none, the end was in another log, and this one was
/// restored from a backup. Then use the copy in the job directory, unless another user could have written it:
/// the run files are the daemon's own.
std::optional<RecordExit> copied_exit(const std::string& run_dir, const std::string& job,
                                      const LiveAttempt& attempt) {
  const auto claim = read_claim(run_dir, job, attempt.number);
  if (!claim || *claim || attempt.uid != ::geteuid()) return std::nullopt;
  auto end = read_exit_json(attempt.job_dir, job, attempt.number, attempt.uid, ::getegid());
  if (!end) return std::nullopt;
  return RecordExit{std::move(*end), std::nullopt, true};
}

void Endings::when_taken_up(std::function<void()> then) {
  for (const auto& [job, attempt] : attempts_.live.by_job) {
    if (!attempt.runner && !attempt.agent) to_take_up_.insert(job);
  }
  if (to_take_up_.empty()) return then();
  when_taken_up_ = std::move(then);
}

void Endings::take_up(const std::string& job) {
  if (to_take_up_.erase(job) > 0 && to_take_up_.empty()) std::exchange(when_taken_up_, nullptr)();
}

}  // namespace luzia
