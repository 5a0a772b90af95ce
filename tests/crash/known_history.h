// A history generated in advance, group by group: the reference for a store on a failing disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/memory/memory_event_log.h"
#include "engine/view/view_store.h"

namespace luzia::test {

class KnownHistory {
 public:
  /// About `events` events of jobs, in groups of 1 to 20; some have small texts.
  static std::unique_ptr<KnownHistory> of_jobs(unsigned seed, std::size_t events);
  /// `groups` groups, each of one job with a text of 50 to 900 KiB, so that write buffers fill and are
  /// flushed while the history is written.
  static std::unique_ptr<KnownHistory> of_large_texts(unsigned seed, std::size_t groups);

  const std::vector<PendingGroup>& groups() const { return groups_; }
  /// The tip of the log after this many groups.
  const Tip& tip(std::size_t groups) const { return tips_[groups]; }
  /// The number of groups up to this tip, or -1 if it is no tip of this history.
  int groups_until(const Tip& tip) const;
  /// The same history in an in-memory log, for replays.
  const EventLog& memory() const { return memory_; }

 private:
  class Recorder;
  std::vector<PendingGroup> groups_;
  std::vector<Tip> tips_{Tip{}};
  MemoryEventLog memory_;
};

/// The differences between `rows` and a replay of the history up to their `until`; empty if there are none.
std::string differences_from_replay(const EventLog& history, Position until, const ViewReader& rows);

}  // namespace luzia::test
