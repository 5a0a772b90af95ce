#include "engine/queue/queue_line.h"

namespace luzia {
namespace {

bool before(const QueueLine::Entry& entry, const QueuePlace& place) {
  if (entry.queued != place.queued) return entry.queued < place.queued;
  return entry.place->job < place.job;
}

}  // namespace

/// The first block that does not end before the place, or the last one. The line must not be empty.
std::size_t QueueLine::block_of(const QueuePlace& place) const {
  if (before(blocks_.back().back(), place)) return blocks_.size() - 1;
  const auto block = std::ranges::partition_point(
      blocks_, [&](const std::vector<Entry>& each) { return before(each.back(), place); });
  return static_cast<std::size_t>(block - blocks_.begin());
}

void QueueLine::insert(const QueuePlace& place) {
  std::size_t at = blocks_.empty() ? 0 : block_of(place);
  if (blocks_.empty()) blocks_.emplace_back();
  if (blocks_[at].size() == kMaxBlock) {
    // A line grows at its end: there, the full block stays full. Elsewhere it is split into halves that leave
    // room.
    const bool is_end = at + 1 == blocks_.size() && before(blocks_[at].back(), place);
    const auto next = blocks_.emplace(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    if (!is_end) {
      auto& full = blocks_[at];
      const auto middle = full.begin() + kMaxBlock / 2;
      next->assign(middle, full.end());
      full.erase(middle, full.end());
    }
    if (is_end || before(blocks_[at].back(), place)) ++at;
  }
  auto& block = blocks_[at];
  const auto behind =
      std::ranges::partition_point(block, [&](const Entry& each) { return before(each, place); });
  block.insert(behind, {place.queued, place.since, place.estimate_ms, &place});
}

void QueueLine::erase(const QueuePlace& place) {
  if (blocks_.empty()) return;
  const std::size_t at = block_of(place);
  auto& block = blocks_[at];
  const auto entry =
      std::ranges::partition_point(block, [&](const Entry& each) { return before(each, place); });
  if (entry == block.end() || entry->place != &place) return;
  block.erase(entry);
  if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace luzia
