#include "engine/job/work_times.h"

#include <algorithm>

namespace luzia {

WorkTimes::Spell* WorkTimes::find(std::string_view job) {
  const auto it = std::ranges::find_if(
      spells_, [job](const Spell& spell) { return spell.to == kNever && spell.job == job; });
  return it == spells_.end() ? nullptr : &*it;
}

void WorkTimes::begin(std::string_view job, TimeUs at) {
  if (find(job) == nullptr) spells_.push_back({std::string(job), at});
}

void WorkTimes::end(std::string_view job, TimeUs at) {
  if (Spell* spell = find(job)) {
    spell->to = std::max(at, spell->from);
    forget_needless();
  }
}

/// Keeps spells that overlap with a job at work, and spells that overlap with those. Times of others are
/// never asked for.
void WorkTimes::forget_needless() {
  const TimeUs first = first_begin();
  if (first == 0) return spells_.clear();
  TimeUs kept_from = first;
  for (const Spell& spell : spells_) {
    if (spell.to >= first) kept_from = std::min(kept_from, spell.from);
  }
  const auto forget = [this](const Spell& spell) { known_from_ = std::max(known_from_, spell.to + 1); };
  std::erase_if(spells_, [&](const Spell& spell) {
    if (spell.to < kept_from) forget(spell);
    return spell.to < kept_from;
  });
  if (spells_.size() - working() <= kMostSpells) return;
  const auto oldest = std::ranges::min_element(spells_, {}, &Spell::to);
  forget(*oldest);
  spells_.erase(oldest);
}

void WorkTimes::rested(std::string_view job, TimeUs from, TimeUs to) {
  Spell* spell = find(job);
  if (spell == nullptr || to < from) return;
  if (!spell->rests.empty() && spell->rests.back().from == from) {
    spell->rests.back().to = to;
    return;
  }
  spell->rests.push_back({from, to});
  if (spell->rests.size() > kMostRests) spell->rests.erase(spell->rests.begin());
}

void WorkTimes::forget_before(TimeUs at) {
  known_from_ = std::max(known_from_, at);
  // If the clock went back, these times come again: forget the rests, and count the jobs at work as working.
  for (Spell& spell : spells_) {
    spell.rests.clear();
    if (spell.to == kNever) spell.from = std::min(spell.from, at);
  }
}

bool WorkTimes::can_have_worked(const Spell& spell, TimeUs from, TimeUs to) {
  if (spell.to < from || spell.from > to) return false;
  const auto later = std::ranges::upper_bound(spell.rests, from, {}, &Rest::from);
  return later == spell.rests.begin() || std::prev(later)->to < to;
}

std::string_view WorkTimes::only_one_at_work(TimeUs from, TimeUs to) const {
  if (from < known_from_) return {};
  std::string_view found;
  for (const Spell& spell : spells_) {
    if (!can_have_worked(spell, from, to) || spell.job == found) continue;
    if (!found.empty()) return {};
    found = spell.job;
  }
  return found;
}

std::size_t WorkTimes::working() const {
  return static_cast<std::size_t>(std::ranges::count(spells_, kNever, &Spell::to));
}

TimeUs WorkTimes::first_begin() const {
  TimeUs first = 0;
  for (const Spell& spell : spells_) {
    if (spell.to == kNever && (first == 0 || spell.from < first)) first = spell.from;
  }
  return first;
}

}  // namespace luzia
