// A history that is written beforehand, group by group: what a store on a failing disk is measured against.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/memory/memory_event_log.h"
#include "engine/view/view_store.h"

namespace luzia::test {

class KnownHistory {
 public:
  /// About `events` events of jobs, in groups of 1 to 20, some with small texts.
  static std::unique_ptr<KnownHistory> of_jobs(unsigned seed, std::size_t events);
  /// `groups` groups of one job each with a text of 50 to 900 KiB: write buffers fill up and are flushed
  /// while it is written.
  static std::unique_ptr<KnownHistory> of_large_texts(unsigned seed, std::size_t groups);

  const std::vector<PendingGroup>& groups() const { return groups_; }
  /// End of the log after so many groups.
  const Tip& tip(std::size_t groups) const { return tips_[groups]; }
  /// How many groups end at this place of this chain; -1: it is no place of this history.
  int groups_until(const Tip& tip) const;
  /// The same history in memory, for replays.
  const EventLog& memory() const { return memory_; }

 private:
  class Recorder;
  std::vector<PendingGroup> groups_;
  std::vector<Tip> tips_{Tip{}};
  MemoryEventLog memory_;
};

/// The differences between `rows` and a replay of the history up to its `until`; empty: none.
std::string differences_from_replay(const EventLog& history, Position until, const ViewReader& rows);

}  // namespace luzia::test
