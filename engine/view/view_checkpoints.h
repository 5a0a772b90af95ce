// Rows as they were at some positions of the past: STORE/views-POSITION, copies of STORE/views that share its
// files while they have them in common. What is asked about the past is folded on from the nearest one
// before it instead of from the beginning. They are disposable like the rows: removing any of them is safe.
//
// (Rejected: keeping each row's history in the views, which every question about now would have to step
// over.)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/log/event_log.h"
#include "engine/view/projection.h"
#include "engine/view/view_store.h"

namespace luzia {

/// Of those at these positions, rising, the ones that are not worth their room: behind the newest, which all
/// stay, the fewer are kept the further back, so that their number grows with the logarithm of the log.
constexpr std::size_t kNewestCheckpoints = 20;
std::vector<Position> superfluous_checkpoints(const std::vector<Position>& positions,
                                              std::size_t newest = kNewestCheckpoints);

/// The one that is missed least, by how long a fold becomes without it beside how far back that is; never one
/// of the newest two. Of three or more, rising.
Position least_missed_checkpoint(const std::vector<Position>& positions);

/// Bytes of the checkpoints of a store that its rows do not share, each file once.
std::uint64_t bytes_of_checkpoints(const std::string& store);

/// Positions of the checkpoints in a store, rising.
std::vector<Position> list_checkpoints(const std::string& store);

/// The rows of the newest checkpoint at or before `at` that is of this log and of this program's views; null
/// when there is none. Any thread.
std::shared_ptr<const ViewReader> open_checkpoint(const std::string& store, const EventLog& log,
                                                  const ProjectionRegistry& registry, Position at);

/// Removes all of them: what was copied may be as faulty as the rows that are made anew.
void remove_checkpoints(const std::string& store);

/// Removes what a crash has left of a copy. Under the store's lock.
void remove_half_made_checkpoints(const std::string& store);

/// Makes them as the rows go on. One thread at a time.
class ViewCheckpoints {
 public:
  /// Events between two checkpoints: what is folded in less than a tenth of a second.
  static constexpr Position kEvery = 50'000;
  /// What checkpoints may take beside the rows, and so many times the rows on top: those that are missed
  /// least go first.
  static constexpr std::uint64_t kRoomOfAll = 1 << 30;
  static constexpr unsigned kTimesRows = 4;
  /// No checkpoint is made when the disk has less left than this.
  static constexpr std::uint64_t kRoomToLeave = 1 << 30;
  /// Copies the rows as they are to a new folder (OpenedViews::copy).
  using Copy = std::function<Status(const std::string& folder)>;

  struct Limits {
    Position every = kEvery;
    std::uint64_t room_to_leave = kRoomToLeave, room_of_all = kRoomOfAll;
    unsigned times_rows = kTimesRows;
  };
  /// `registry`: the views that this program makes. All outlive it.
  ViewCheckpoints(std::string store, const EventLog& log, const ProjectionRegistry& registry, Copy copy)
      : ViewCheckpoints(std::move(store), log, registry, std::move(copy), Limits()) {}
  ViewCheckpoints(std::string store, const EventLog& log, const ProjectionRegistry& registry, Copy copy,
                  const Limits& limits);
  /// The rows have come to this position: makes a checkpoint if it is time for one, and removes what is
  /// superfluous or of other views. Takes some tenths of a second then; rows may be read and folded on
  /// meanwhile, the checkpoint is of where they stand when they are copied. An error of the copy is told once
  /// and changes nothing else. `end`: where the rows are on their way to, through a long history; of
  /// checkpoints that would be superfluous there none is made.
  Status reached(Position position, Position end = 0);
  /// The position at which the next one is due, at the earliest. On the thread of reached().
  Position next() const { return next_; }

 private:
  bool superfluous_at(Position end, Position position, const std::vector<Position>& there) const;
  /// Its position.
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
