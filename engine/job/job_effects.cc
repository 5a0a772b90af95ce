// What a state still waits for: deadlines, and effects outside of the engine. Both are computed from the
// state alone, so they survive a crash.
#include "engine/job/input_state.h"
#include "engine/job/job_budget.h"
#include "engine/job/job_warnings.h"

namespace luzia {
namespace {

bool is_starting(const JobState& state) {
  return state.state == schema::JobState::starting && state.pid == 0 && !state.attempt_over;
}

bool has_agent(const JobState& state) {
  return state.pid != 0 && !state.attempt_over;
}

}  // namespace

TimeUs next_deadline(const JobState& state, double warn_fraction) {
  TimeUs earliest = 0;
  const auto consider = [&](TimeUs moment) { earliest = earlier_moment(earliest, moment); };
  // A start can take long as well: preflight checks run before the agent.
  if (is_starting(state) || has_agent(state)) {
    if (state.stop_requested) {
      if (!state.stop_forced) consider(state.force_at_us);
    } else if (state.waiting_since_us == 0 && state.paused_since_us == 0) {  // otherwise no time limit runs
      consider(state.timeout_at_us);
      consider(time_budget_ends_at(state));
      consider(duration_warning_at(state, warn_fraction));
    }
  }
  consider(next_input_moment(state));
  // Otherwise the job stays parked until a person lets it continue.
  const bool goes_on = state.limit_resumes_used < state.spec->limit_resumes;
  if (state.state == schema::JobState::parked && goes_on) consider(state.parked_until_us);
  return earliest;
}

std::vector<Effect> pending_effects(const JobState& state) {
  std::vector<Effect> effects;
  const auto name = [&](EffectKind kind) { effects.push_back({kind, state.job, state.attempt}); };
  if (is_starting(state)) name(EffectKind::launch);
  if (has_agent(state)) {
    // A stopped process group does not receive the polite signal, so it is continued first.
    name(stands_still(state) ? EffectKind::pause_group : EffectKind::continue_group);
  }
  for (const auto& input : state.inputs) {
    const bool due = input->answered && !input->delivered && input->source == "file";
    if (due && has_agent(state) && input->attempt == state.attempt) {
      name(EffectKind::deliver_answer);
      effects.back().input = input->id;
    }
  }
  if (state.stop_requested && (is_starting(state) || has_agent(state))) {
    name(state.stop_forced ? EffectKind::stop_by_force : EffectKind::stop_politely);
  }
  return effects;
}

}  // namespace luzia
