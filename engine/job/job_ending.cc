#include "engine/job/job_ending.h"

#include <array>
#include <optional>

#include "engine/base/durations.h"
#include "engine/job/attempt_limits.h"
#include "engine/job/input_state.h"
#include "engine/job/job_budget.h"
#include "engine/job/job_warnings.h"

namespace luzia {
namespace {

using schema::AgentOutcome;
using schema::EndReason;
using schema::ExitMeaning;
using schema::StopReason;
using St = schema::JobState;

JobEnding ending_of_stop(const JobState& state, const RecordExit& command) {
  switch (state.stop_reason) {
    case StopReason::cancelled:
      return {St::killed, EndReason::cancelled, ""};
    case StopReason::attached:
      return {St::killed, EndReason::cancelled, "stopped to open its session in a terminal"};
    case StopReason::timed_out:
      return {St::timed_out, EndReason::timed_out,
              "ran longer than its limit of " + format_duration(bounded_us(state.spec->timeout_ms))};
    case StopReason::budget: {
      // Luzia stopped it. If no budget is used up by the runner's clock, it was the time budget, by the
      // daemon's clock.
      const std::string budget =
          used_up_budget(state, worked_us(state, command.end.wall_us, command.end.ended_us));
      return {St::failed, EndReason::budget_exceeded,
              "used up its budget of " + (budget.empty() ? time_budget_text(state) : budget) +
                  " for all attempts together"};
    }
    case StopReason::dependency:
      return {St::failed, EndReason::dependency_failed, "a job that it depends on failed"};
    case StopReason::policy:
      return {St::killed, EndReason::policy,
              state.stop_note.empty() ? "a rule of the configuration stops such jobs" : state.stop_note};
    case StopReason::unanswered:
      return {St::failed, EndReason::question_unanswered, "nobody answered its question in time"};
    case StopReason::memory_limit:
    case StopReason::process_limit:
    case StopReason::disk_limit:
    case StopReason::memory_pressure:
      return {St::killed, end_of_limit(state.stop_reason), state.stop_note};
  }
  return {St::killed, EndReason::cancelled, ""};
}

JobEnding ending_of_signal(int signal, bool core_dumped) {
  // Signals that people or the system send to end a process. All others indicate a fault of the program
  // itself.
  constexpr std::array kSentFromOutside = {1, 2, 3, 9, 15};
  const bool sent =
      std::find(kSentFromOutside.begin(), kSentFromOutside.end(), signal) != kSentFromOutside.end();
  return {sent ? St::killed : St::failed, EndReason::signal,
          "ended by signal " + std::to_string(signal) + (core_dumped ? " (core dumped)" : "")};
}

JobEnding ending_of_code(const JobState& state, int code) {
  const std::string words = "exit code " + std::to_string(code);
  switch (meaning_of(state, code)) {
    case ExitMeaning::completed:
      return {St::completed, EndReason::exit_code, words};
    case ExitMeaning::retriable_failure:
      return {St::failed, EndReason::exit_code, words + " (may be retried)", true};
    case ExitMeaning::final_failure:
      return {St::failed, EndReason::exit_code,
              state.spec->retries > 0 ? words + ", which is not retried" : words};
    case ExitMeaning::needs_clarification:
      return {St::failed, EndReason::needs_clarification,
              words + ": the agent needs clarification but left no question"};
  }
  return {St::failed, EndReason::exit_code, words};
}

/// What the agent said about an end that is not a plain success; empty: nothing.
std::string agent_words(const JobState& state) {
  const auto with_text = [&state](const std::string& words) {
    return state.outcome_text.empty() ? words : words + ": " + state.outcome_text;
  };
  switch (state.outcome) {
    case AgentOutcome::none:
    case AgentOutcome::completed:
      return {};
    case AgentOutcome::failed:
      return with_text("the agent says that it failed");
    case AgentOutcome::usage_limit:
      return with_text("the agent says that its usage limit is reached");
    case AgentOutcome::max_turns:
      return with_text("the agent stopped at its limit of turns");
    case AgentOutcome::max_budget:
      return with_text("the agent stopped at its own budget");
    case AgentOutcome::deferred:
      return "a decision about " + (state.outcome_text.empty() ? "a tool" : state.outcome_text) + " is open" +
             (state.session_id.empty() ? "" : "; resume the session " + state.session_id);
    case AgentOutcome::interrupted:
      return with_text("the agent says that it was interrupted");
    case AgentOutcome::stopped_after_denial:
      return with_text("the agent stopped after a denial");
  }
  return {};
}

/// Combines the end by exit code with the outcome that the agent reported.
JobEnding joined_with_outcome(const JobState& state, JobEnding ending) {
  const bool good_code = ending.state == St::completed;
  if (state.outcome == AgentOutcome::completed && !good_code) {
    ending.detail += "; the agent had said that it completed its work";
  }
  const std::string said = agent_words(state), denied = denied_edits(state);
  if (!denied.empty()) ending.detail += ", but " + denied;
  if (said.empty()) return ending;
  if (!good_code) {
    ending.detail += "; " + said;
    return ending;
  }
  const bool limited = state.outcome == AgentOutcome::usage_limit;
  return {St::failed, limited ? EndReason::usage_limit : EndReason::agent_failed,
          ending.detail + ", but " + said};
}

/// An attempt that came to grief at a limit that the kernel holds; nothing for one that succeeded in spite of
/// it. Another attempt would meet the same limit, so it is not retried.
std::optional<JobEnding> ending_at_limit(const JobState& state, const schema::AttemptEndedT& end) {
  const bool succeeded = end.signal == 0 && end.exit_code.value_or(0) == 0;
  if (!end.reached || succeeded || !state.spec->limits) return std::nullopt;
  // A cgroup of the kernel's also counts processes that were refused at a limit of the daemon's unit.
  const schema::AttemptLimitsT& limits = *state.spec->limits;
  const bool is_own = end.reached->reason == schema::StopReason::process_limit ? limits.processes != 0
                                                                               : limits.memory_bytes != 0;
  if (!is_own) return std::nullopt;
  return JobEnding{end.signal != 0 ? St::killed : St::failed, end_of_limit(end.reached->reason),
                   limit_note(state, *end.reached)};
}

/// What the agent calls done may be refuted by the job's checks.
JobEnding proved(const RecordExit& command, JobEnding ending) {
  if (ending.state != St::completed || command.end.verified.value_or(true)) return ending;
  return {St::failed, EndReason::verify_failed, ending.detail + ", but the " + command.end.check_error};
}

}  // namespace

ExitMeaning meaning_of(const JobState& state, int code) {
  for (const auto& entry : state.spec->exit_codes) {
    if (entry->code == code) return entry->meaning;
  }
  return code == 0 ? ExitMeaning::completed : ExitMeaning::final_failure;
}

void honour_asked_retries(schema::JobSpecT& spec) {
  constexpr int kFailure = 1;
  const bool says_enough = std::ranges::any_of(spec.exit_codes, [](const auto& entry) {
    return entry->code == kFailure || entry->meaning == ExitMeaning::retriable_failure;
  });
  if (spec.retries == 0 || says_enough) return;
  auto entry = std::make_unique<schema::ExitCodeT>();
  entry->code = kFailure;
  entry->meaning = ExitMeaning::retriable_failure;
  spec.exit_codes.push_back(std::move(entry));
}

bool is_lost(const JobState& state, const RecordExit& command) {
  if (!command.end.evidence_lost) return false;
  return !state.stop_requested || command.lost_because == EndReason::machine_restarted;
}

JobEnding ending_of(const JobState& state, const RecordExit& command) {
  const auto& end = command.end;
  if (is_lost(state, command)) {
    const EndReason reason = command.lost_because.value_or(EndReason::runner_and_agent_gone);
    return {St::lost, reason,
            reason == EndReason::machine_restarted ? "the machine was restarted while it ran"
                                                   : "luzia-run and the agent went without an exit record"};
  }
  // Checked before the start error: an attempt that was stopped during its start did not fail to start.
  if (state.stop_requested) return ending_of_stop(state, command);
  if (state.ended_before && !end.start_error.empty()) {
    const auto& before = *state.ended_before;
    return {before.state, before.reason, "as before: its session did not start: " + end.start_error,
            before.retriable};
  }
  if (end.preflight_failed && !end.start_error.empty()) {
    return {St::failed, EndReason::preflight_failed,
            end.start_error + "; when that is fixed: luzia retry " + state.job};
  }
  if (!end.start_error.empty()) {
    const EndReason why = command.no_secret ? EndReason::secret_unavailable : EndReason::start_failed;
    return {St::failed, why, end.start_error};
  }
  if (auto at_limit = ending_at_limit(state, end)) return *at_limit;
  if (end.signal != 0) return ending_of_signal(end.signal, end.core_dumped);
  return proved(command, joined_with_outcome(state, ending_of_code(state, end.exit_code.value_or(0))));
}

TimeUs usage_limit_until(const JobState& state, const RecordExit& command, TimeUs now) {
  const auto& end = command.end;
  const bool by_itself = end.exit_code.has_value() && end.start_error.empty() && !state.stop_requested;
  if (state.limit.empty() || !by_itself || end.evidence_lost) return 0;
  switch (state.outcome) {
    case AgentOutcome::none:
      if (meaning_of(state, *end.exit_code) == ExitMeaning::completed) return 0;
      break;
    case AgentOutcome::failed:
    case AgentOutcome::usage_limit:
      break;
    case AgentOutcome::completed:
    case AgentOutcome::max_turns:
    case AgentOutcome::max_budget:
    case AgentOutcome::deferred:
    case AgentOutcome::interrupted:
    case AgentOutcome::stopped_after_denial:
      return 0;
  }
  if (state.limit_resets_us == 0) return now + kUnknownLimit;
  const TimeUs ended = end.ended_us != 0 ? std::min(end.ended_us, now) : now;
  if (state.limit_resets_us <= ended) return 0;
  // The reset may already have passed: then the next attempt starts in a second.
  return std::max(bounded_limit(state.limit_resets_us, now), now + kSecondUs);
}

}  // namespace luzia
