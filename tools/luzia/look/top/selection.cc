#include "tools/luzia/look/top/selection.h"

#include <algorithm>
#include <utility>

#include "engine/flow/flow.h"

namespace luzia {

void TopSelection::acted(std::string prompt) {
  acted_on_ = id_;
  acted_prompt_ = std::move(prompt);
}

void TopSelection::forget_act() {
  acted_on_.clear();
  acted_prompt_.clear();
}

void TopSelection::move_on(const TopRows::Jobs& all, const TopRows& rows) {
  if (acted_prompt_.empty() || rows.is_open(acted_prompt_)) return;
  acted_prompt_.clear();
  const auto needs_person = [&rows](const view::Job* row) { return rows.needs_of(*row).any(); };
  // The job may ask something else; then the rows after its place, and those before it.
  const auto same = find_in(all);
  if (same != all.end() && needs_person(*same)) place_ = static_cast<std::size_t>(same - all.begin());
  TopRows::Jobs others = all;
  std::ranges::rotate(others, others.begin() + static_cast<std::ptrdiff_t>(std::min(place_, others.size())));
  const auto next = std::ranges::find_if(others, needs_person);
  if (next == others.end()) return;
  id_ = text((*next)->id());
  acted_on_.clear();
  moved_on_ = true;
}

void TopSelection::keep(const TopRows::Jobs& all, bool alone) {
  const auto same = find_in(all);
  if (same != all.end()) {
    place_ = static_cast<std::size_t>(same - all.begin());
    id_ = text((*same)->id());
  } else if (!all.empty() && id_ == acted_on_ && !id_.empty()) {
    place_ = std::min(place_, all.size() - 1);
  } else if (!alone) {
    place_ = std::min(place_, all.empty() ? 0 : all.size() - 1);
    id_ = all.empty() ? std::string() : std::string(text(all[place_]->id()));
  }
}

TopRows::Jobs::const_iterator TopSelection::find_in(const TopRows::Jobs& all) const {
  const auto same = std::ranges::find_if(all, [&](const view::Job* job) { return text(job->id()) == id_; });
  const auto step = split_flow_step(id_);
  if (same != all.end() || !step) return same;
  return std::ranges::find_if(all, [&](const view::Job* job) {
    return text(job->flow()) == step->first && text(job->step()) == step->second;
  });
}

void TopSelection::move(const TopRows::Jobs& all, std::ptrdiff_t by) {
  if (all.empty()) return;
  // Where the selected row has gone the next one is in its place.
  if (by > 0 && find_in(all) == all.end()) --by;
  forget_act();
  const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
  const auto place = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place_) + by, 0, last);
  place_ = static_cast<std::size_t>(place);
  id_ = std::string(text(all[place_]->id()));
}

}  // namespace luzia
