#include "engine/job/job_warnings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/job/decide_parts.h"
#include "engine/job/input_events.h"
#include "engine/job/input_state.h"
#include "engine/job/job_budget.h"

namespace luzia {
namespace {

constexpr std::array kKinds = {WarningKind::duration,     WarningKind::silence,    WarningKind::output_loop,
                               WarningKind::output_flood, WarningKind::all_denied, WarningKind::login_failed};

std::uint32_t bit_of(WarningKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

/// What the attempt is measured against: the shortest of its estimate, its time limit and the rest of its
/// budget.
struct Allowance {
  std::uint64_t ms = 0;
  bool is_limit = false;
  std::string_view name = "estimate";
};

Allowance allowance_of(const JobState& state) {
  Allowance allowance{state.spec->estimate_ms};
  const std::uint64_t limit = state.spec->timeout_ms, budget = time_budget_left_ms(state).value_or(0);
  if (limit != 0 && (allowance.ms == 0 || limit < allowance.ms)) allowance = {limit, true, "time limit"};
  if (budget != 0 && (allowance.ms == 0 || budget < allowance.ms)) allowance = {budget, true, "budget"};
  return allowance;
}

/// How long the attempt has worked, without waits for people and pauses.
TimeUs worked(const JobState& state, TimeUs now) {
  const auto wall_us = static_cast<std::uint64_t>(std::max<TimeUs>(0, now - state.started_us));
  return static_cast<TimeUs>(worked_us(state, wall_us, now));
}

NewEvent warning(const JobState& state, WarningKind kind, std::string message, std::string recommendation,
                 TimeUs now) {
  schema::WarningReportedT fact;
  fact.warning_type = warning_type(kind);
  fact.message = std::move(message);
  fact.recommendation = std::move(recommendation);
  fact.elapsed_seconds = static_cast<double>(worked(state, now)) / kSecondUs;
  return job_event(state.job, std::move(fact));
}

std::string percent_text(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %%", fraction * 100);
  return text;
}

}  // namespace

std::string_view warning_type(WarningKind kind) {
  switch (kind) {
    case WarningKind::duration:
      return "DURATION_EXCEEDED";
    case WarningKind::silence:
      return "SILENCE";
    case WarningKind::output_loop:
      return "OUTPUT_LOOP";
    case WarningKind::output_flood:
      return "OUTPUT_FLOOD";
    case WarningKind::all_denied:
      return "ALL_DENIED";
    case WarningKind::login_failed:
      return "LOGIN_FAILED";
  }
  return "";
}

bool was_warned(const JobState& state, WarningKind kind) {
  return (state.warned & bit_of(kind)) != 0;
}

bool asks_about_silence(const JobState& state) {
  return open_silence_question(state) != nullptr;
}

std::uint32_t warning_bit(const schema::Event& event) {
  const auto* report = event.payload_as_ReportEvent();
  const auto* fact = report != nullptr ? report->fact_as_WarningReported() : nullptr;
  if (fact == nullptr || event.actor() == nullptr || event.actor()->kind() != schema::ActorKind::daemon) {
    return 0;
  }
  for (const WarningKind kind : kKinds) {
    if (text(fact->warning_type()) == warning_type(kind)) return bit_of(kind);
  }
  return 0;
}

TimeUs duration_warning_at(const JobState& state, double fraction) {
  const bool runs = state.pid != 0 && state.started_us != 0 && !state.attempt_over && !state.stop_requested;
  const std::uint64_t allowed = runs ? allowance_of(state).ms : 0;
  if (fraction <= 0 || allowed == 0 || was_warned(state, WarningKind::duration)) return 0;
  constexpr double kLongestMs = 1e14;  // 3,000 years, and far from overflow in microseconds
  const double ms = std::min(static_cast<double>(allowed) * fraction, kLongestMs);
  return work_counts_from(state) + static_cast<TimeUs>(std::llround(ms)) * kMillisecondUs;
}

NewEvent duration_warning(const JobState& state, double fraction, TimeUs now) {
  const Allowance allowance = allowance_of(state);
  const std::string allowed = format_duration(
      static_cast<TimeUs>(std::min<std::uint64_t>(allowance.ms, 1ULL << 50)) * kMillisecondUs);
  const auto idle = static_cast<TimeUs>(idle_us(state, now));
  std::string message =
      "has run for " + format_duration(worked(state, now)) + " (since " + format_rfc3339(state.started_us) +
      (idle == 0 ? "" : ", without " + format_duration(idle) + " of waits and pauses") + "), " +
      percent_text(fraction) + " of its " + std::string(allowance.name) + " of " + allowed;
  std::string advice = "luzia logs " + state.job + " shows what it does, luzia cancel " + state.job +
                       (allowance.is_limit ? " stops it before its limit does" : " stops it");
  return warning(state, WarningKind::duration, std::move(message), std::move(advice), now);
}

std::string denied_edits(const JobState& state) {
  if (state.edits_denied == 0 || state.edits_made != 0) return {};
  return state.edits_denied == 1 ? "its only edit was denied"
                                 : "all its " + std::to_string(state.edits_denied) + " edits were denied";
}

NewEvent denial_warning(const JobState& state, TimeUs now) {
  const std::string& had = state.spec->permissions;
  const bool wide = had == "edits" || had == "bypass";
  std::string advice = wide ? "luzia logs " + state.job +
                                  " shows what denied them: a rule, a person or the agent's own settings"
                            : "dispatch it again with --permissions edits, or set permissions in [agents." +
                                  state.spec->agent + "]" + (had.empty() ? "" : "; it had '" + had + "'");
  return warning(state, WarningKind::all_denied, denied_edits(state), std::move(advice), now);
}

NewEvent login_warning(const JobState& state, bool waits, TimeUs now) {
  const std::string& help = state.spec->login_help;
  const std::string then =
      waits ? "; the job then goes on, at the latest after luzia resume --agent " + state.spec->agent
            : "; then luzia retry " + state.job;
  return warning(state, WarningKind::login_failed, "the agent's service refuses its login",
                 (help.empty() ? "log in" : help) + then, now);
}

Decided decide_command(const JobState& state, const WarnJob& command, TimeUs now) {
  const bool late = is_stale(state, command.attempt) || state.attempt_over || is_terminal(state.state);
  const bool runs = state.state == schema::JobState::running;
  const bool asks = command.ask && runs && open_silence_question(state) == nullptr;
  const bool stops = command.stop && runs;
  const bool warned = was_warned(state, command.kind);
  if (late || (warned && !asks && !stops)) return Events{};
  // A paused job, one that is being stopped and one that waits for a person may be silent.
  const bool may_be_silent = state.paused || state.stop_requested || state.state == schema::JobState::waiting;
  if (command.kind == WarningKind::silence && may_be_silent) return Events{};
  Events events;
  if (!warned) {
    events.push_back(warning(state, command.kind, command.message, command.recommendation, now));
    if (command.evidence) events.back().evidence = std::make_unique<schema::EvidenceT>(*command.evidence);
  }
  if (stops) {
    events.push_back(stop_request(state, schema::StopReason::policy, command.message));
  } else if (asks) {
    events.push_back(asked_question(state, *command.ask));
  }
  return events;
}

}  // namespace luzia
