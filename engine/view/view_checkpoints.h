// Checkpoints: rows as they were at some past positions. STORE/views-POSITION is a copy of STORE/views that
// shares its unchanged files. A query of the past folds from the nearest checkpoint before it instead of from
// the beginning. Like all rows, checkpoints can be removed at any time.
//
// Rejected: keeping each row's history in the views, because every query of the present would have to skip
// it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/log/event_log.h"
#include "engine/view/projection.h"
#include "engine/view/view_store.h"

namespace luzia {

/// Given ascending positions of checkpoints, those to remove. The newest ones all stay. Older ones become
/// sparser the older they are, so their number grows with the logarithm of the log.
constexpr std::size_t kNewestCheckpoints = 20;
std::vector<Position> superfluous_checkpoints(const std::vector<Position>& positions,
                                              std::size_t newest = kNewestCheckpoints);

/// The checkpoint to remove first for space: the one whose loss lengthens a fold least in relation to its
/// age; never one of the newest two. `positions`: three or more, ascending.
Position least_missed_checkpoint(const std::vector<Position>& positions);

/// Bytes of a store's checkpoints that its rows do not share; each file counts once.
std::uint64_t bytes_of_checkpoints(const std::string& store);

/// Positions of a store's checkpoints, ascending.
std::vector<Position> list_checkpoints(const std::string& store);

/// The rows of the newest checkpoint at or before `at` that belongs to this log and to this program's views;
/// null: none. Any thread.
std::shared_ptr<const ViewReader> open_checkpoint(const std::string& store, const EventLog& log,
                                                  const ProjectionRegistry& registry, Position at);

/// Removes all checkpoints. Used when rows are rebuilt, because copies may have the same faults.
void remove_checkpoints(const std::string& store);

/// Removes incomplete copies that a crash left. Requires the store's lock.
void remove_half_made_checkpoints(const std::string& store);

/// Makes checkpoints as folding proceeds. One thread at a time.
class ViewCheckpoints {
 public:
  /// Events between two checkpoints: they are folded in less than a tenth of a second.
  static constexpr Position kEvery = 50'000;
  /// Bytes that all checkpoints may take: kRoomOfAll plus kTimesRows times the size of the rows. Beyond that,
  /// the least missed ones are removed.
  static constexpr std::uint64_t kRoomOfAll = 1 << 30;
  static constexpr unsigned kTimesRows = 4;
  /// No checkpoint is made if the disk has fewer free bytes than this.
  static constexpr std::uint64_t kRoomToLeave = 1 << 30;
  /// Copies the present rows to a new folder (OpenedViews::copy).
  using Copy = std::function<Status(const std::string& folder)>;

  struct Limits {
    Position every = kEvery;
    std::uint64_t room_to_leave = kRoomToLeave, room_of_all = kRoomOfAll;
    unsigned times_rows = kTimesRows;
  };
  /// `registry`: the views that this program makes. `log` and `registry` must outlive it.
  ViewCheckpoints(std::string store, const EventLog& log, const ProjectionRegistry& registry, Copy copy)
      : ViewCheckpoints(std::move(store), log, registry, std::move(copy), Limits()) {}
  ViewCheckpoints(std::string store, const EventLog& log, const ProjectionRegistry& registry, Copy copy,
                  const Limits& limits);
  /// Call when the rows have reached `position`. Makes a checkpoint if one is due, and removes those that are
  /// superfluous or of other views. That takes some tenths of a second; rows may be read and folded on
  /// meanwhile, and the checkpoint has the rows as of the copy. Returns an error of the copy once; it changes
  /// nothing else. `end`: position that a long fold is heading for; checkpoints that would be superfluous
  /// there are not made.
  Status reached(Position position, Position end = 0);
  /// The earliest position at which the next checkpoint is due. On the thread of reached().
  Position next() const { return next_; }

 private:
  bool superfluous_at(Position end, Position position, const std::vector<Position>& there) const;
  /// Returns the position of the new checkpoint.
  Result<Position> make() const;
  Result<Position> make_in(const std::string& beside) const;
  void tidy() const;

  std::string store_;
  const EventLog& log_;
  const ProjectionRegistry& registry_;
  Copy copy_;
  Limits limits_;
  Position next_;
};

}  // namespace luzia
