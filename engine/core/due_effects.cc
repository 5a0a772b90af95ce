#include "engine/core/due_effects.h"

#include <iterator>

namespace luzia {

void DueEffects::resume() {
  for (const auto& [id, job] : jobs_.all()) name(job, true);
}

void DueEffects::committed(Position durable) {
  const JobBook::Jobs& jobs = jobs_.all();
  auto next = jobs.end();
  while (!touched_.empty() && touched_.front().first <= durable) {
    const std::string id = std::move(touched_.front().second);
    touched_.pop_front();
    // In a burst of new jobs the next one usually follows the last in the map.
    const auto it = next != jobs.end() && next->first == id ? next : jobs.find(id);
    // A later event of the job is still in flight: the job is looked at when that event is durable.
    if (it == jobs.end() || it->second.lifecycle_position > durable) continue;
    name(it->second, false);
    if (changed_) changed_(it->second);
    next = std::next(it);
  }
}

void DueEffects::name(const JobState& job, bool recovering) {
  const std::vector<Effect> effects = pending_effects(job);
  if (effects.empty()) {
    named_.erase(job.job);
    return;
  }
  Named& named = named_[job.job];
  if (named.attempt != job.attempt) named = {job.attempt, {}};
  for (const Effect& effect : effects) {
    if (effect.kind == EffectKind::pause_group) named.kinds.erase({EffectKind::continue_group, {}});
    // Continue is due only after a pause. At the start it is always due: the last process may have paused the
    // job.
    const bool was_paused =
        effect.kind == EffectKind::continue_group && named.kinds.erase({EffectKind::pause_group, {}}) > 0;
    if (effect.kind == EffectKind::continue_group && !was_paused && !recovering) continue;
    if (named.kinds.insert({effect.kind, effect.input}).second && due_) due_(effect, job);
  }
}

}  // namespace luzia
