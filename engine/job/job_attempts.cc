// decide: attempts, from start to end: who stops them, and which deadlines they have.
#include <algorithm>

#include "engine/base/durations.h"
#include "engine/job/attempt_limits.h"
#include "engine/job/decide_parts.h"
#include "engine/job/finding_limits.h"
#include "engine/job/input_events.h"
#include "engine/job/input_state.h"
#include "engine/job/issue_fixes.h"
#include "engine/job/job_budget.h"
#include "engine/job/job_ending.h"
#include "engine/job/job_warnings.h"
#include "engine/job/sandbox_words.h"
#include "engine/job/told_state.h"

namespace luzia {

using schema::EndReason;
using schema::ExitMeaning;
using schema::StopReason;
using St = schema::JobState;

namespace {

/// Doubles with each retry. The jitter is derived from the job's id, so that a replay decides the same.
TimeUs retry_delay(const JobState& state) {
  const std::uint32_t doublings = std::min<std::uint32_t>(state.retries_used, 16);
  const TimeUs base =
      bounded_us(std::min(state.spec->retry_backoff_ms, ~std::uint64_t{0} >> doublings) << doublings);
  const std::string seed = state.job + '/' + std::to_string(state.attempt);
  const TimeUs most = base / 100 * state.spec->retry_jitter_percent;
  return base + most / 100 * static_cast<TimeUs>(checksum64(as_bytes(seed)) % 101);
}

/// The attempt was to resume a session that is gone. Happens once: the next attempt begins a new one, and
/// does not resume.
bool lost_its_session(const JobState& state) {
  return state.session_gone && state.attempt > 1 && !state.session_id.empty() &&
         !state.spec->resume_command.empty();
}

/// The next attempt is told what the checks found. Luzia decided it, but it is no use of the job's retries.
NewEvent corrected(const JobState& state, const Blob& report) {
  NewEvent event = retried(state, 0, true,
                           "correction " + std::to_string(state.corrections + 1) + " of " +
                               std::to_string(state.spec->verify_tries));
  schema::JobRetriedT& fact = *event.payload.AsJobEvent()->fact.AsJobRetried();
  fact.corrects = true;
  fact.message = std::make_unique<schema::BlobRefT>(blob_ref(report));
  event.blobs.push_back(report);
  return event;
}

std::unique_ptr<schema::EvidenceT> inferred_by(const char* rule, std::uint32_t attempt) {
  auto evidence = std::make_unique<schema::EvidenceT>();
  evidence->kind = schema::EvidenceKind::inferred;
  evidence->attempt = attempt;
  evidence->rule = rule;
  return evidence;
}

/// Whether the attempt ended to ask although its profile does not say so: with exit code 1 after a question
/// file that announced it, or with 100, for which the profile has no meaning, after any request in a file.
bool ends_by_file(const JobState& state, int code) {
  constexpr int kAsks = 100;
  const bool unknown =
      std::ranges::none_of(state.spec->exit_codes, [code](const auto& entry) { return entry->code == code; });
  return std::ranges::any_of(state.inputs, [&](const auto& input) {
    const bool is_unheard =
        input->source == "file" && input->attempt == state.attempt && (is_open(*input) || !input->delivered);
    return is_unheard && ((code == 1 && input->ends_attempt) || (code == kAsks && unknown));
  });
}

/// The exit record of an attempt whose end is known already: news only if it was given up as lost.
Events late_record(const JobState& state, const schema::AttemptEndedT& end) {
  if (state.state != St::lost || end.evidence_lost) return {};
  schema::ExitRecordLateT late;
  late.attempt = end.attempt;
  late.exit_code = end.exit_code;
  late.signal = end.signal;
  late.ended_us = end.ended_us;
  return one(job_event(state.job, late));
}

/// Without a bound, a login that looks new and is refused again would start the job for ever.
bool waits_for_login(const JobState& state) {
  constexpr std::uint32_t kMostWaits = 5;
  return state.spec->login_wait_ms != 0 && state.login_waits < kMostWaits && !state.spec->interactive;
}

NewEvent awaiting_login(const JobState& state, TimeUs now) {
  NewEvent event = retried(state, 0, false, "goes on when " + state.spec->agent + " is logged in again");
  const TimeUs wait = bounded_us(state.spec->login_wait_ms);
  event.payload.AsJobEvent()->fact.AsJobRetried()->login_until_us = bounded_limit(now + wait, now);
  return event;
}

}  // namespace

Decided decide_command(const JobState& state, const StartAttempt& command, TimeUs /*now*/) {
  if (state.state != St::queued || state.held || !state.after.empty()) {
    return fail(ErrorKind::refused, "not_startable", "job " + state.job + " is not ready to start");
  }
  return one(job_event(state.job, schema::AttemptStartingT{{}, state.next_attempt, command.boot_id}));
}

Decided decide_command(const JobState& state, const ReportStarted& command, TimeUs /*now*/) {
  if (is_stale(state, command.attempt) || state.pid != 0 || state.attempt_over) return Events{};
  schema::AttemptStartedT fact;
  fact.attempt = command.attempt;
  fact.pid = command.pid;
  fact.pid_start = command.pid_start;
  fact.runner_pid = command.runner_pid;
  fact.runner_start = command.runner_start;
  fact.sandbox = sandbox_words(state.spec->sandbox.get());
  Events events = one(job_event(state.job, fact));
  for (NewEvent& event : limit_events(state, command)) events.push_back(std::move(event));
  for (const auto& input : state.inputs) {
    const bool begins_with_it = std::ranges::find(state.answers, input->id) != state.answers.end();
    if (begins_with_it) events.push_back(delivered_input(state, *input, "resume"));
  }
  for (NewEvent& event : read_by_prompt(state)) events.push_back(std::move(event));
  return events;
}

Decided decide_command(const JobState& state, const ReportHosts& command, TimeUs /*now*/) {
  const auto told = std::min<std::size_t>(state.hosts_told, command.hosts.size());
  const bool is_news = command.over ? !command.hosts.empty() : told < command.hosts.size();
  // A daemon that died between the total and the attempt's end reports the total again.
  const bool is_late = is_stale(state, command.attempt) || is_terminal(state.state) || state.hosts_counted;
  if (is_late || !is_news) return Events{};
  schema::HostsContactedT fact;
  fact.attempt = command.attempt;
  fact.total = command.over;
  fact.more = command.more;
  for (std::size_t i = command.over ? 0 : told; i < command.hosts.size(); ++i)
    fact.hosts.push_back(std::make_unique<schema::HostUseT>(command.hosts[i]));
  return one(job_event(state.job, std::move(fact)));
}

Decided decide_command(const JobState& state, const RecordExit& command, TimeUs now) {
  const auto& end = command.end;
  if (is_stale(state, end.attempt)) return Events{};
  if (state.attempt_over || is_terminal(state.state)) return late_record(state, end);
  Events events = one(job_event(state.job, schema::AttemptEndedT(end)));
  if (command.from_copy) events.front().evidence = inferred_by(kExitCopyRule, end.attempt);
  const bool had_prompt = end.start_error.empty() && !end.evidence_lost;
  if (had_prompt) {
    for (NewEvent& event : read_by_prompt(state)) events.push_back(std::move(event));
  }
  const bool by_itself = end.exit_code.has_value() && end.start_error.empty() && !state.stop_requested;
  report_omitted(state, events);
  const ExitMeaning meaning = by_itself ? meaning_of(state, *end.exit_code) : ExitMeaning::final_failure;
  // An agent that defers a tool call exits successfully, then waits for the decision like one that ends to
  // ask.
  const bool defers = meaning == ExitMeaning::completed && state.outcome == schema::AgentOutcome::deferred;
  const bool asks = defers || meaning == ExitMeaning::needs_clarification ||
                    (by_itself && ends_by_file(state, *end.exit_code));
  if (asks && ends_asking(state, events)) return events;
  cancel_open_inputs(state, "the attempt has ended", events);
  JobEnding ending = ending_of(state, command);
  if (!denied_edits(state).empty() && !end.evidence_lost) events.push_back(denial_warning(state, now));
  const bool spent = !used_up_budget(state, worked_us(state, end.wall_us, end.ended_us)).empty();
  if (state.attach && !end.evidence_lost && !spent) {
    events.push_back(retried_at_terminal(state, *state.attach, state.stop_note));
    return events;
  }
  const TimeUs parked_until = spent ? 0 : usage_limit_until(state, command, now);
  if (parked_until != 0) {
    events.push_back(job_event(state.job, schema::JobParkedT{{}, parked_until, state.limit}));
    return events;
  }
  const bool refused = state.login_failed && by_itself && ending.state == St::failed;
  const bool awaits_login = refused && waits_for_login(state) && !spent;
  if (refused) events.push_back(login_warning(state, awaits_login, now));
  // A fix helped if the next attempt completes without the issue.
  end_fixes(state, ending.state != St::completed, events);
  const bool corrects = ending.reason == EndReason::verify_failed && command.report.has_value() &&
                        state.corrections < state.spec->verify_tries && !spent;
  const bool again = ending.retriable && state.retries_used < state.spec->retries && !spent;
  events.push_back(ended_job(state, ending.state, ending.reason, std::move(ending.detail), ending.retriable));
  const bool unseen = end.evidence_lost && ending.state != St::lost;
  if (unseen) events.back().evidence = inferred_by(kStoppedUnseenRule, end.attempt);
  schema::JobEndedT& ended = *events.back().payload.AsJobEvent()->fact.AsJobEnded();
  const std::string callback = std::exchange(ended.callback, {});
  if (lost_its_session(state) && by_itself && ending.state == St::failed && !spent) {
    events.push_back(
        retried(state, 0, false, "the agent does not have the session any more: a new one begins"));
    events.back().payload.AsJobEvent()->fact.AsJobRetried()->fresh = true;
  } else if (awaits_login) {
    events.push_back(awaiting_login(state, now));
  } else if (corrects) {
    events.push_back(corrected(state, *command.report));
  } else if (again) {
    events.push_back(retried(state, now + retry_delay(state), true,
                             "automatic retry " + std::to_string(state.retries_used + 1) + " of " +
                                 std::to_string(state.spec->retries)));
  } else {
    ended.callback = callback;  // nobody is told of an end that is none
    if (ending.reason != EndReason::verify_failed || !command.report) return events;
    ended.report = std::make_unique<schema::BlobRefT>(blob_ref(*command.report));
    events.back().blobs.push_back(*command.report);
    return events;
  }
  if (state.paused)
    events.push_back(job_event(state.job, schema::JobHeldT{{}, "paused when its attempt ended"}));
  return events;
}

Decided decide_command(const JobState& state, const ReportRunnerGone& command, TimeUs /*now*/) {
  if (is_stale(state, command.attempt) || state.attempt_over || state.runner_gone) return Events{};
  return one(job_event(
      state.job,
      schema::RunnerGoneT{{}, command.attempt, command.survivor != 0 ? command.survivor : state.pid}));
}

/// Cancels an attempt that is already being stopped. Without a grace period the stop is forced at once, and a
/// shorter one moves the forced stop forward. The reason for the stop stays.
Decided decide_cancel_again(const JobState& state, const CancelJob& command, TimeUs now) {
  if (state.stop_forced || !command.grace_ms) return Events{};
  if (*command.grace_ms == 0) return one(job_event(state.job, schema::StopForcedT{{}, state.attempt}));
  if (now + bounded_us(*command.grace_ms) >= state.force_at_us) return Events{};
  return one(stop_request(state, state.stop_reason, command.note, command.grace_ms));
}

Decided decide_command(const JobState& state, const CancelJob& command, TimeUs now) {
  if (is_terminal(state.state)) return refuse_ended(state, "cancel");
  if (!has_process(state)) {
    const bool before = state.attempt == 0 || state.state == St::queued;
    Events events;
    end_fixes(state, true, events);
    cancel_open_inputs(state, "the job was cancelled", events);
    events.push_back(ended_job(
        state, St::killed, before ? EndReason::cancelled_before_start : EndReason::cancelled, command.note));
    return events;
  }
  // A stop for a person who attaches is not the end of the job; this one is.
  if (state.stop_requested && !state.attach) return decide_cancel_again(state, command, now);
  return one(stop_request(state, command.reason, command.note, command.grace_ms));
}

Decided decide_command(const JobState& state, const DeadlineReached& command, TimeUs now) {
  const TimeUs due = next_deadline(state, command.warn_fraction);
  if (due == 0 || due > now) return Events{};
  if (Events of_inputs = due_inputs(state, now); !of_inputs.empty()) return of_inputs;
  if (state.state == St::parked) {
    schema::JobUnparkedT fact;
    fact.note = "the usage limit is reset: resume " + std::to_string(state.limit_resumes_used + 1) + " of " +
                std::to_string(state.spec->limit_resumes);
    return one(job_event(state.job, std::move(fact)));
  }
  if (state.stop_requested) return one(job_event(state.job, schema::StopForcedT{{}, state.attempt}));
  const TimeUs budget_ends = time_budget_ends_at(state);
  const bool timed_out = state.timeout_at_us != 0 && state.timeout_at_us <= now;
  const bool spent = budget_ends != 0 && budget_ends <= now;
  if (!timed_out && !spent) return one(duration_warning(state, command.warn_fraction, now));
  return one(stop_request(state, timed_out ? StopReason::timed_out : StopReason::budget));
}

Decided decide_command(const JobState& state, const ReportDependency& command, TimeUs /*now*/) {
  if (state.state != St::queued ||
      std::find(state.after.begin(), state.after.end(), command.job) == state.after.end()) {
    return Events{};
  }
  Events events = one(job_event(
      state.job,
      schema::DependencyEndedT{{}, command.job, recorded_state(command.state), never_ran(command.state)}));
  if (command.state == St::completed) return events;
  const bool is_fix =
      std::ranges::any_of(state.fixes, [&](const auto& fix) { return fix->job == command.job; });
  end_fixes(state, true, events);
  events.push_back(ended_job(
      state, St::failed, EndReason::dependency_failed,
      "job " + command.job + (is_fix ? ", which was to fix its failure, is " : ", which it depends on, is ") +
          schema::EnumNameJobState(command.state)));
  return events;
}

Decided decide_command(const JobState& state, const ShiftDeadlines& command, TimeUs now) {
  if (is_terminal(state.state) || command.by == 0) return Events{};
  // Warnings, budgets and daily use count from the start, and requests count from when they were asked, even
  // if the job does not wait for them.
  const bool works = state.started_us != 0 && !state.attempt_over;
  // Set by a clock that was years ahead.
  const bool too_far = state.parked_until_us != bounded_limit(state.parked_until_us, now);
  if (state.timeout_at_us == 0 && state.force_at_us == 0 && !state.backs_off && !too_far && !works &&
      next_input_moment(state) == 0 && state.waiting_since_us == 0) {
    return Events{};
  }
  return one(job_event(state.job, schema::DeadlinesShiftedT{{}, command.by}));
}

}  // namespace luzia
