// What a state still waits for: deadlines, and effects on the outside. Both are read off the state alone, so
// they survive any crash.
#include "engine/job/job.h"

namespace luzia {
namespace {

bool has_live_process(const JobState& state) {
  return state.pid != 0 && !state.attempt_over;
}

}  // namespace

TimeUs next_deadline(const JobState& state) {
  TimeUs earliest = 0;
  const auto consider = [&earliest](TimeUs moment) {
    if (moment != 0 && (earliest == 0 || moment < earliest)) earliest = moment;
  };
  if (has_live_process(state)) {
    if (state.stop_requested) {
      if (!state.stop_forced) consider(state.force_at_us);
    } else {
      consider(state.timeout_at_us);
    }
  }
  if (state.state == schema::JobState::parked) consider(state.parked_until_us);
  return earliest;
}

std::vector<Effect> pending_effects(const JobState& state) {
  std::vector<Effect> effects;
  const auto name = [&](EffectKind kind) { effects.push_back({kind, state.job, state.attempt}); };
  if (state.state == schema::JobState::starting && state.pid == 0 && !state.attempt_over) {
    name(EffectKind::launch);
  }
  if (!has_live_process(state)) return effects;
  if (state.stop_requested) {
    // A stopped group hears no polite signal: it goes on first.
    name(EffectKind::continue_group);
    name(state.stop_forced ? EffectKind::stop_by_force : EffectKind::stop_politely);
  } else {
    name(state.paused ? EffectKind::pause_group : EffectKind::continue_group);
  }
  return effects;
}

}  // namespace luzia
