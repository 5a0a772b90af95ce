// Queued jobs of the same kind in order of arrival. The scheduler starts jobs from these lines and counts
// along them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

constexpr std::uint8_t kHighestPriority = 9;

/// The properties of a queued job that limits and order depend on. `tags`: only tags that have a limit.
struct QueueKind {
  std::uint8_t priority = 0;
  std::string project, agent;
  std::vector<std::string> tags;
  auto operator<=>(const QueueKind&) const = default;
};

struct QueuePlace {
  QueueKind kind;
  Position queued = 0;
  TimeUs since = 0;
  std::string job;
  TimeUs not_before = 0;
  bool startable = false;  // ignoring its time, capacity and pauses
  std::vector<std::string> tags;
  std::uint64_t estimate_ms = 0;  // its own estimate; 0: none given
};

/// Places sorted by position, then by job; not owned. Entries are in blocks of memory, with what order and
/// estimates need in the entry itself. So 10,000 are counted without reading the places, which would each be
/// a cache miss. Adding the last or removing the first costs the same at any length; in the middle the cost
/// grows slowly, by the number of blocks.
///
/// Rejected: std::set, 4 ms for 10,000; trees that count, because of the same misses at each insertion.
class QueueLine {
 public:
  struct Entry {
    Position queued;
    TimeUs since;
    std::uint64_t estimate_ms;
    const QueuePlace* place;
  };
  /// Valid until the line changes.
  class const_iterator {
   public:
    const Entry& operator*() const { return (*blocks_)[block_][at_]; }
    const Entry* operator->() const { return &**this; }
    const_iterator& operator++() {
      if (++at_ == (*blocks_)[block_].size()) {
        ++block_;
        at_ = 0;
      }
      return *this;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    friend class QueueLine;
    const_iterator(const std::vector<std::vector<Entry>>* blocks, std::size_t block)
        : blocks_(blocks), block_(block) {}
    const std::vector<std::vector<Entry>>* blocks_;
    std::size_t block_, at_ = 0;
  };

  /// `place` must not be in the line yet.
  void insert(const QueuePlace& place);
  /// No effect if `place` is not in the line.
  void erase(const QueuePlace& place);
  bool empty() const { return blocks_.empty(); }
  const_iterator begin() const { return {&blocks_, 0}; }
  const_iterator end() const { return {&blocks_, blocks_.size()}; }
  /// How many entries at the front satisfy `holds`. After the first that does not, none may.
  template <class Holds>
  std::size_t count_front(Holds holds) const;

 private:
  static constexpr std::size_t kMaxBlock = 256;
  std::size_t block_of(const QueuePlace& place) const;

  std::vector<std::vector<Entry>> blocks_;  // no block is empty
};

template <class Holds>
std::size_t QueueLine::count_front(Holds holds) const {
  const auto last = std::ranges::partition_point(
      blocks_, [&](const std::vector<Entry>& block) { return holds(block.back()); });
  std::size_t count = 0;
  for (auto block = blocks_.begin(); block != last; ++block) count += block->size();
  if (last == blocks_.end()) return count;
  return count + static_cast<std::size_t>(std::ranges::partition_point(*last, holds) - last->begin());
}

}  // namespace luzia
