#include "projections/rows/names.h"

#include <cstring>

#include "engine/base/local_time.h"
#include "engine/event/event.h"

namespace luzia {
namespace {

std::string with_detail(std::string sentence, std::string_view detail) {
  if (!detail.empty()) sentence.append(": ").append(detail);
  return sentence;
}

/// For ends whose detail is a complete sentence.
std::string detail_or(std::string_view detail, std::string_view sentence) {
  return std::string(detail.empty() ? sentence : detail);
}

std::string exit_text(std::optional<int> exit_code, int signal) {
  if (signal != 0) return "signal " + std::to_string(signal) + ", " + signal_name(signal);
  if (exit_code) return "exit code " + std::to_string(*exit_code);
  return "ended without an exit code";
}

}  // namespace

std::string_view known_name(const char* name) {
  return name && *name ? std::string_view(name) : "unknown";
}

std::string_view state_name(schema::JobState state) {
  return known_name(schema::EnumNameJobState(state));
}

std::optional<schema::JobState> parse_state(std::string_view name) {
  for (const schema::JobState state : schema::EnumValuesJobState()) {
    if (state != schema::JobState::none && state_name(state) == name) return state;
  }
  return std::nullopt;
}

std::string_view end_reason_name(schema::EndReason reason) {
  return known_name(schema::EnumNameEndReason(reason));
}
std::string_view severity_name(schema::Severity severity) {
  return known_name(schema::EnumNameSeverity(severity));
}
std::string_view verdict_name(schema::Verdict verdict) {
  return known_name(schema::EnumNameVerdict(verdict));
}
std::string_view actor_kind_name(schema::ActorKind kind) {
  return known_name(schema::EnumNameActorKind(kind));
}
std::string_view stop_reason_name(schema::StopReason reason) {
  return known_name(schema::EnumNameStopReason(reason));
}

std::string_view hook_outcome_name(schema::HookOutcome outcome) {
  switch (outcome) {
    case schema::HookOutcome::delivered:
      return "delivered";
    case schema::HookOutcome::given_up:
      return "given up";
    case schema::HookOutcome::suppressed:
      return "suppressed";
  }
  return "?";
}

std::string_view a2a_state(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::none:
      return "unknown";
    case JobState::queued:
      return "submitted";
    case JobState::starting:
    case JobState::running:
    case JobState::parked:
      return "working";
    case JobState::waiting:
      return "input-required";
    case JobState::completed:
      return "completed";
    case JobState::killed:
    case JobState::cancelled:
      return "canceled";
    case JobState::failed:
    case JobState::timed_out:
    case JobState::lost:
    case JobState::skipped:
      return "failed";
  }
  return "unknown";
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return "SIG" + (name == nullptr ? std::to_string(signal) : std::string(name));
}

std::string end_text(schema::JobState state, schema::EndReason reason, std::optional<int> exit_code,
                     int signal, std::string_view detail) {
  using schema::EndReason;
  if (!is_terminal(state)) return {};
  switch (reason) {
    case EndReason::exit_code:
      return exit_text(exit_code, signal);
    case EndReason::signal:
      return exit_text(exit_code, signal);
    case EndReason::cancelled:
      return with_detail("cancelled", detail);
    case EndReason::cancelled_before_start:
      return with_detail("cancelled before start", detail);
    case EndReason::timed_out:
      return detail_or(detail, "stopped at its time limit");
    case EndReason::start_failed:
      return with_detail("could not be started", detail);
    case EndReason::preflight_failed:
      return detail_or(detail, "a preflight check failed");
    case EndReason::dependency_failed:
      return detail_or(detail, "a job it depends on did not complete");
    case EndReason::machine_restarted:
      return "the machine restarted while it ran";
    case EndReason::runner_and_agent_gone:
      return "luzia-run and the agent are gone without an exit record";
    case EndReason::question_unanswered:
      return detail_or(detail, "a question was not answered in time");
    case EndReason::budget_exceeded:
      return detail_or(detail, "its budget was used up");
    case EndReason::needs_clarification:
      return detail_or(detail, "needs clarification");
    case EndReason::imported:
      return with_detail("imported", detail);
    case EndReason::policy:
      return with_detail("stopped by policy", detail);
    case EndReason::agent_failed:
      return with_detail("the agent says that it failed", detail);
    case EndReason::usage_limit:
      return with_detail("the agent's usage limit is reached", detail);
    case EndReason::published:
      return with_detail("as published", detail);
    case EndReason::process_gone:
      return with_detail("its process is gone, its exit status unknown", detail);
    case EndReason::untracked:
      return with_detail("no longer watched, and nothing was stopped", detail);
    case EndReason::verify_failed:
      return detail_or(detail, "a check of its work failed");
    case EndReason::memory_limit:
      return detail_or(detail, "used more memory than it may");
    case EndReason::process_limit:
      return detail_or(detail, "had more processes than it may");
    case EndReason::disk_limit:
      return detail_or(detail, "used more disk than it may");
    case EndReason::memory_pressure:
      return detail_or(detail, "the machine ran out of memory");
    case EndReason::secret_unavailable:
      return detail_or(detail, "the value of a secret could not be read");
  }
  return with_detail("ended for a reason that this program does not know", detail);
}

std::string_view proof_name(const view::Job& job) {
  if (!job.verified()) return "unproved";
  return *job.verified() ? "proved" : "refuted";
}

std::optional<bool> shown_proof(const view::Job& job) {
  const bool checked =
      job.state() == schema::JobState::completed || job.reason() == schema::EndReason::verify_failed;
  if (!checked || !job.verified() || !is_terminal(job.state())) return std::nullopt;
  return *job.verified();
}

std::string files_gone_text(TimeUs when, std::string_view rule) {
  std::string by = rule.empty() ? "luzia rm" : "[keep] ";
  return "removed on " + local_time(when) + " (" + by.append(rule) + ")";
}

bool is_foreign(const view::Job& job) {
  return job.tracked() || (is_terminal(job.state()) && job.reason() == schema::EndReason::imported);
}

std::string end_text(const view::Job& job) {
  std::optional<int> exit_code;
  if (const auto code = job.exit_code()) exit_code = *code;
  return end_text(job.state(), job.reason(), exit_code, job.signal(), text(job.reason_detail()));
}

}  // namespace luzia
