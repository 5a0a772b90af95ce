// Queued jobs that are alike, first come first: what the scheduler starts from, and counts along.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

/// What limits and order ask of a queued job. Tags: only limited ones.
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
  bool startable = false;  // but for its time, capacity and pauses
  std::vector<std::string> tags;
  std::uint64_t estimate_ms = 0;  // its own; 0: none was given
};

/// Places in the order of their positions, then jobs; none of them owned. They stand in blocks of memory,
/// what the order and an estimate need beside each: 10,000 are counted without a glance at the places
/// themselves, which would be as many cache misses (rejected: std::set, 4 ms for these; trees that count, for
/// the same misses at each insertion). To add the last one or to take the first away costs the same at any
/// length, in the middle it grows by the thousandth.
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

  /// No place twice.
  void insert(const QueuePlace& place);
  /// Nothing happens when it does not stand in it.
  void erase(const QueuePlace& place);
  bool empty() const { return blocks_.empty(); }
  const_iterator begin() const { return {&blocks_, 0}; }
  const_iterator end() const { return {&blocks_, blocks_.size()}; }
  /// How many stand at its front for which `holds` is true; behind the first for which it is not, it is for
  /// none.
  template <class Holds>
  std::size_t count_front(Holds holds) const;

 private:
  static constexpr std::size_t kMaxBlock = 256;
  std::size_t block_of(const QueuePlace& place) const;

  std::vector<std::vector<Entry>> blocks_;  // none empty
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
