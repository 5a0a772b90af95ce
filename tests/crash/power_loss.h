// Runs a store through several lives, each ended by a power loss at a random disk operation: while the store
// is created, opened, recovered, written, flushed, compacted or closed. After each loss it opens the store
// again and compares it with a history generated in advance. One seed chooses history, moments and losses.
// RocksDB's background threads may shift an operation between two runs of one seed.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/view/rocks_view_store.h"
#include "tests/crash/fragile_disk.h"
#include "tests/crash/known_history.h"

namespace luzia::test {

/// Histories are costly to generate, so many seeds share them.
class Histories {
 public:
  Histories();
  /// One seed in eight gets a history with large texts.
  const KnownHistory& of_seed(std::uint64_t seed) const;

 private:
  std::vector<std::unique_ptr<KnownHistory>> small_, large_;
};

class PowerLoss {
 public:
  /// `folder` is emptied first.
  PowerLoss(const Histories& histories, std::uint64_t seed, const std::string& folder);

  /// Returns the rule that was broken, or an empty string.
  std::string run();
  const std::vector<std::string>& story() const { return story_; }

  struct Counts {
    std::uint64_t losses = 0, while_opening = 0, acknowledged_groups = 0, in_flight_kept = 0, flushes = 0,
                  rebuilt_views = 0;
    Counts& operator+=(const Counts& other);
  };
  const Counts& counts() const { return counts_; }

 private:
  bool open();
  bool open_log();
  bool open_views();
  void live();
  void act();
  void append();
  void flush();
  void erase();
  void fold();
  void close();
  void check_log();
  void check_blobs();
  void check_blob(const PendingGroup::PlacedBlob& placed);
  void check_views();
  bool on() const { return !fragile_.disk().power_is_off(); }
  void broken(const std::string& why);
  void tell(const std::string& words) {
    story_.push_back("[" + std::to_string(fragile_.disk().operations()) + "] " + words);
  }

  Dice dice_;
  const KnownHistory& history_;
  std::string store_;
  FragileEnv fragile_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<ViewStore> views_;
  std::size_t acknowledged_ = 0;  // groups
  std::size_t tried_ = 0;         // groups; the last one may or may not be on the disk
  std::set<std::pair<Position, std::uint32_t>> erased_, maybe_erased_;
  Counts counts_;
  std::vector<std::string> story_;
  std::string broken_;
};

}  // namespace luzia::test
