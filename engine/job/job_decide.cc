// decide: the life of a job. One function per command; each reads the state, returns events or one clear
// refusal.
#include <algorithm>

#include "engine/base/durations.h"
#include "engine/job/decide_parts.h"
#include "engine/job/finding_limits.h"
#include "engine/job/input_events.h"
#include "engine/job/input_state.h"
#include "engine/job/issue_fixes.h"
#include "engine/job/job_budget.h"
#include "engine/job/job_ending.h"
#include "engine/job/job_removal.h"
#include "engine/job/job_warnings.h"

namespace luzia {

using schema::EndReason;
using schema::ExitMeaning;
using schema::StopReason;
using St = schema::JobState;

tl::unexpected<Error> refuse_unknown(const std::string& job) {
  return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'", "luzia jobs --all lists them");
}

bool is_stale(const JobState& state, std::uint32_t attempt) {
  return attempt != state.attempt || state.state == St::queued;
}

tl::unexpected<Error> refuse_ended(const JobState& state, const std::string& what) {
  if (state.removed) return refuse_removed(state, what);
  return fail(ErrorKind::refused, "already_ended",
              "cannot " + what + " job " + state.job + ": it has already ended (" +
                  schema::EnumNameJobState(state.state) + ")",
              "luzia retry " + state.job + " runs it again");
}

bool has_process(const JobState& state) {
  return (state.state == St::starting || state.state == St::running || state.state == St::waiting) &&
         !state.attempt_over;
}

namespace {

NewEvent ended(const JobState& state, St end_state, EndReason reason, std::string detail,
               bool retriable = false) {
  schema::JobEndedT fact;
  fact.state = end_state;
  fact.reason = reason;
  fact.detail = std::move(detail);
  fact.retriable = retriable;
  fact.attempt = state.attempt;
  return job_event(state.job, std::move(fact));
}

/// Doubles with each retry; the jitter comes from the job's name, so that a replay decides alike.
TimeUs retry_delay(const JobState& state) {
  const std::uint32_t doublings = std::min<std::uint32_t>(state.retries_used, 16);
  const TimeUs base =
      bounded_us(std::min(state.spec->retry_backoff_ms, ~std::uint64_t{0} >> doublings) << doublings);
  const std::string seed = state.job + '/' + std::to_string(state.attempt);
  const TimeUs most = base / 100 * state.spec->retry_jitter_percent;
  return base + most / 100 * static_cast<TimeUs>(checksum64(as_bytes(seed)) % 101);
}

std::unique_ptr<schema::EvidenceT> inferred_by(const char* rule, std::uint32_t attempt) {
  auto evidence = std::make_unique<schema::EvidenceT>();
  evidence->kind = schema::EvidenceKind::inferred;
  evidence->attempt = attempt;
  evidence->rule = rule;
  return evidence;
}

NewEvent retried(const JobState& state, TimeUs not_before, bool automatic, std::string note) {
  schema::JobRetriedT fact;
  fact.attempt = state.next_attempt;
  fact.not_before_us = not_before;
  fact.automatic = automatic;
  fact.note = std::move(note);
  return job_event(state.job, std::move(fact));
}

}  // namespace

Decided decide_queue(const JobState& state, QueueJob command) {
  if (!state.job.empty()) {
    return fail(ErrorKind::refused, "job_exists", "job " + command.job + " exists already");
  }
  if (command.priority > 9) {
    return fail(ErrorKind::usage, "bad_priority",
                "priority " + std::to_string(command.priority) + " is out of range", "use 0 to 9, 9 first");
  }
  schema::JobQueuedT fact;
  fact.job = command.job;
  fact.spec = std::make_unique<schema::JobSpecT>(std::move(command.spec));
  fact.priority = command.priority;
  fact.after = std::move(command.after);
  fact.not_before_us = command.not_before;
  if (command.prompt) fact.prompt = std::make_unique<schema::BlobRefT>(blob_ref(*command.prompt));
  if (command.env) fact.env = std::make_unique<schema::BlobRefT>(blob_ref(*command.env));
  std::vector<Blob> blobs;
  for (auto* blob : {&command.prompt, &command.env}) {
    if (*blob) blobs.push_back(std::move(**blob));
  }
  Events events;
  events.push_back(job_event(command.job, std::move(fact)));
  events.back().blobs = std::move(blobs);
  return events;
}

Decided decide_import(const JobState& state, const ImportJob& command) {
  if (!state.job.empty()) return Events{};
  schema::JobImportedT fact = command.fact;
  fact.prompt = std::make_unique<schema::BlobRefT>(blob_ref(command.prompt));
  const std::string job = fact.job;
  Events events = one(job_event(job, std::move(fact)));
  events.back().blobs.push_back(command.prompt);
  return events;
}

Decided decide_start(const JobState& state, const StartAttempt& command) {
  if (state.state != St::queued || state.held || !state.after.empty()) {
    return fail(ErrorKind::refused, "not_startable", "job " + state.job + " is not ready to start");
  }
  schema::AttemptStartingT fact;
  fact.attempt = state.next_attempt;
  fact.boot_id = command.boot_id;
  return one(job_event(state.job, std::move(fact)));
}

Decided decide_started(const JobState& state, const ReportStarted& command) {
  if (is_stale(state, command.attempt) || state.pid != 0 || state.attempt_over) return Events{};
  schema::AttemptStartedT fact;
  fact.attempt = command.attempt;
  fact.pid = command.pid;
  fact.pid_start = command.pid_start;
  fact.runner_pid = command.runner_pid;
  fact.runner_start = command.runner_start;
  Events events = one(job_event(state.job, fact));
  for (const auto& input : state.inputs) {
    const bool begins_with_it = std::ranges::find(state.answers, input->id) != state.answers.end();
    if (begins_with_it) events.push_back(delivered_input(state, *input, "resume"));
  }
  return events;
}

Decided decide_exit(const JobState& state, const RecordExit& command, TimeUs now) {
  const auto& end = command.end;
  if (is_stale(state, end.attempt)) return Events{};
  if (state.attempt_over || is_terminal(state.state)) {
    if (state.state != St::lost || end.evidence_lost) return Events{};
    schema::ExitRecordLateT late;
    late.attempt = end.attempt;
    late.exit_code = end.exit_code;
    late.signal = end.signal;
    late.ended_us = end.ended_us;
    return one(job_event(state.job, late));
  }
  Events events = one(job_event(state.job, schema::AttemptEndedT(end)));
  if (command.from_copy) events.front().evidence = inferred_by(kExitCopyRule, end.attempt);
  const bool by_itself = end.exit_code.has_value() && end.start_error.empty() && !state.stop_requested;
  tell_omitted(state, events);
  const ExitMeaning meaning = by_itself ? meaning_of(state, *end.exit_code) : ExitMeaning::final_failure;
  // An agent that defers a tool call ends well, and waits for the decision as one that ends to ask.
  const bool defers = meaning == ExitMeaning::completed && state.outcome == schema::AgentOutcome::deferred;
  const bool asks = defers || meaning == ExitMeaning::needs_clarification;
  if (asks && ends_asking(state, events)) return events;
  cancel_open_inputs(state, "the attempt has ended", events);
  JobEnding ending = ending_of(state, command);
  const bool spent = !used_up_budget(state, worked_us(state, end.wall_us, end.ended_us)).empty();
  const TimeUs parked_until = spent ? 0 : usage_limit_until(state, command, now);
  if (parked_until != 0) {
    schema::JobParkedT parked;
    parked.until_us = parked_until;
    parked.limit = state.limit;
    events.push_back(job_event(state.job, std::move(parked)));
    return events;
  }
  // A fix has helped when the attempt after it completes without the issue.
  end_fixes(state, ending.state != St::completed, events);
  const bool again = ending.retriable && state.retries_used < state.spec->retries && !spent;
  events.push_back(ended(state, ending.state, ending.reason, std::move(ending.detail), ending.retriable));
  const bool unseen = end.evidence_lost && ending.state != St::lost;
  if (unseen) events.back().evidence = inferred_by(kStoppedUnseenRule, end.attempt);
  if (again) {
    events.push_back(retried(state, now + retry_delay(state), true,
                             "automatic retry " + std::to_string(state.retries_used + 1) + " of " +
                                 std::to_string(state.spec->retries)));
  }
  return events;
}

Decided decide_runner_gone(const JobState& state, const ReportRunnerGone& command) {
  if (is_stale(state, command.attempt) || state.attempt_over || state.runner_gone) return Events{};
  schema::RunnerGoneT fact;
  fact.attempt = command.attempt;
  fact.pid = command.survivor != 0 ? command.survivor : state.pid;
  return one(job_event(state.job, fact));
}

/// A cancel while the attempt is being stopped already: no grace forces it, a shorter one moves the moment of
/// force. Why it is being stopped stays as it was.
Decided decide_cancel_again(const JobState& state, const CancelJob& command, TimeUs now) {
  if (state.stop_forced || !command.grace_ms) return Events{};
  if (*command.grace_ms == 0) {
    schema::StopForcedT forced;
    forced.attempt = state.attempt;
    return one(job_event(state.job, forced));
  }
  if (now + bounded_us(*command.grace_ms) >= state.force_at_us) return Events{};
  schema::StopRequestedT fact;
  fact.attempt = state.attempt;
  fact.reason = state.stop_reason;
  fact.grace_ms = *command.grace_ms;
  fact.note = command.note;
  return one(job_event(state.job, std::move(fact)));
}

Decided decide_cancel(const JobState& state, const CancelJob& command, TimeUs now) {
  if (is_terminal(state.state)) return refuse_ended(state, "cancel");
  if (!has_process(state)) {
    const bool before = state.attempt == 0 || state.state == St::queued;
    Events events;
    end_fixes(state, true, events);
    cancel_open_inputs(state, "the job was cancelled", events);
    events.push_back(ended(state, St::killed,
                           before ? EndReason::cancelled_before_start : EndReason::cancelled, command.note));
    return events;
  }
  if (state.stop_requested) return decide_cancel_again(state, command, now);
  schema::StopRequestedT fact;
  fact.attempt = state.attempt;
  fact.reason = command.reason;
  fact.grace_ms = command.grace_ms.value_or(state.spec->kill_grace_ms);
  fact.note = command.note;
  return one(job_event(state.job, std::move(fact)));
}

namespace {

tl::unexpected<Error> refuse_spent(const JobState& state, const std::string& budget) {
  return fail(ErrorKind::refused, "budget_spent",
              "cannot retry job " + state.job + ": its attempts have used up its budget of " + budget,
              "dispatch it anew, with a greater --budget-time, --budget-tokens or --budget-cost");
}

/// A person lets a job go on that a usage limit stopped, before its reset or after it.
Decided unpark(const JobState& state, const std::string& note) {
  if (const std::string budget = used_up_budget(state); !budget.empty()) return refuse_spent(state, budget);
  schema::JobUnparkedT fact;
  fact.note = note;
  return one(job_event(state.job, std::move(fact)));
}

}  // namespace

Decided decide_retry(const JobState& state, const RetryJob& command) {
  if (state.removed) return refuse_removed(state, "retry");
  if (state.state == St::parked) return unpark(state, command.note);
  if (state.end_reason == EndReason::imported) {
    return fail(ErrorKind::refused, "imported_job",
                "cannot retry job " + state.job + ": it was imported from another tool and never ran here",
                "luzia retry " + state.job + " hands its task over as a new job");
  }
  if (!is_terminal(state.state)) {
    return fail(ErrorKind::refused, "not_ended",
                "cannot retry job " + state.job + ": it has not ended (" +
                    schema::EnumNameJobState(state.state) + ")",
                "luzia cancel " + state.job + " ends it first");
  }
  if (const std::string budget = used_up_budget(state); !budget.empty()) return refuse_spent(state, budget);
  if (!command.fix) return one(retried(state, 0, command.automatic, command.note));
  Events events = one(fix_started(state, *command.fix));
  events.push_back(retried(state, 0, command.automatic, command.note));
  events.back().payload.AsJobEvent()->fact.AsJobRetried()->after = {command.fix->job};
  return events;
}

namespace {

/// Sets or clears a flag by an event, if the job is live and the flag is not there already.
template <class Fact>
Decided flag(const JobState& state, bool already, const std::string& verb, const std::string& note) {
  if (is_terminal(state.state)) return refuse_ended(state, verb);
  if (already) return Events{};
  Fact fact;
  fact.note = note;
  return one(job_event(state.job, std::move(fact)));
}

}  // namespace

Decided decide_hold(const JobState& state, const HoldJob& command) {
  if (has_process(state)) {
    return fail(ErrorKind::refused, "already_started",
                "cannot hold job " + state.job + ": it has started already",
                "luzia pause " + state.job + " stops its processes for a while");
  }
  return flag<schema::JobHeldT>(state, state.held, "hold", command.note);
}

Decided decide_release(const JobState& state, const ReleaseJob& command) {
  return flag<schema::JobReleasedT>(state, !state.held, "release", command.note);
}

Decided decide_pause(const JobState& state, const PauseJob& command) {
  if (!is_terminal(state.state) && (!has_process(state) || state.stop_requested)) {
    return fail(ErrorKind::refused, "not_running",
                "cannot pause job " + state.job + ": " +
                    (state.stop_requested ? "it is being stopped" : "it is not running"),
                state.stop_requested ? "" : "luzia hold " + state.job + " keeps it from starting");
  }
  return flag<schema::JobPausedT>(state, state.paused, "pause", command.note);
}

Decided decide_resume(const JobState& state, const ResumeJob& command) {
  if (state.state == St::parked) return unpark(state, command.note);
  return flag<schema::JobResumedT>(state, !state.paused, "resume", command.note);
}

Decided decide_reprioritize(const JobState& state, const ReprioritizeJob& command) {
  if (is_terminal(state.state)) return refuse_ended(state, "edit");
  if (command.priority > 9) {
    return fail(ErrorKind::usage, "bad_priority",
                "priority " + std::to_string(command.priority) + " is out of range", "use 0 to 9, 9 first");
  }
  if (command.priority == state.priority) return Events{};
  schema::JobReprioritizedT fact;
  fact.priority = command.priority;
  return one(job_event(state.job, fact));
}

Decided decide_reschedule(const JobState& state, const RescheduleJob& command) {
  if (is_terminal(state.state)) return refuse_ended(state, "reschedule");
  if (state.state != St::queued) {
    return fail(ErrorKind::refused, "already_started",
                "cannot reschedule job " + state.job + ": it has started already");
  }
  if (command.not_before == state.not_before_us) return Events{};
  schema::JobRescheduledT fact;
  fact.not_before_us = command.not_before;
  fact.note = command.note;
  return one(job_event(state.job, std::move(fact)));
}

Decided decide_deadline(const JobState& state, const DeadlineReached& command, TimeUs now) {
  const TimeUs due = next_deadline(state, command.warn_fraction);
  if (due == 0 || due > now) return Events{};
  if (Events of_inputs = due_inputs(state, now); !of_inputs.empty()) return of_inputs;
  if (state.state == St::parked) {
    schema::JobUnparkedT fact;
    fact.note = "the usage limit is reset: resume " + std::to_string(state.limit_resumes_used + 1) + " of " +
                std::to_string(state.spec->limit_resumes);
    return one(job_event(state.job, std::move(fact)));
  }
  if (state.stop_requested) {
    schema::StopForcedT forced;
    forced.attempt = state.attempt;
    return one(job_event(state.job, forced));
  }
  const TimeUs budget_ends = time_budget_ends_at(state);
  const bool timed_out = state.timeout_at_us != 0 && state.timeout_at_us <= now;
  const bool spent = budget_ends != 0 && budget_ends <= now;
  if (!timed_out && !spent) return one(duration_warning(state, command.warn_fraction, now));
  schema::StopRequestedT fact;
  fact.attempt = state.attempt;
  fact.reason = timed_out ? StopReason::timed_out : StopReason::budget;
  fact.grace_ms = state.spec->kill_grace_ms;
  return one(job_event(state.job, std::move(fact)));
}

Decided decide_dependency(const JobState& state, const ReportDependency& command) {
  if (state.state != St::queued ||
      std::find(state.after.begin(), state.after.end(), command.job) == state.after.end()) {
    return Events{};
  }
  schema::DependencyEndedT fact;
  fact.job = command.job;
  fact.state = command.state;
  Events events = one(job_event(state.job, std::move(fact)));
  if (command.state == St::completed) return events;
  const bool is_fix =
      std::ranges::any_of(state.fixes, [&](const auto& fix) { return fix->job == command.job; });
  end_fixes(state, true, events);
  events.push_back(
      ended(state, St::failed, EndReason::dependency_failed,
            "job " + command.job +
                (is_fix ? ", which was to fix what it failed by, is " : ", which it depends on, is ") +
                schema::EnumNameJobState(command.state)));
  return events;
}

Decided decide_shift(const JobState& state, const ShiftDeadlines& command, TimeUs now) {
  if (is_terminal(state.state) || command.by == 0) return Events{};
  // Warnings, budgets and the day's use count from the start; nobody need wait for what is asked.
  const bool works = state.started_us != 0 && !state.attempt_over;
  // Of a clock that was set back by years.
  const bool too_far = state.parked_until_us != bounded_limit(state.parked_until_us, now);
  if (state.timeout_at_us == 0 && state.force_at_us == 0 && !state.backs_off && !too_far && !works &&
      next_input_moment(state) == 0 && state.waiting_since_us == 0) {
    return Events{};
  }
  schema::DeadlinesShiftedT fact;
  fact.by_us = command.by;
  return one(job_event(state.job, fact));
}

}  // namespace luzia
