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
#include "engine/view/view_store.h"

namespace luzia {

/// Of those at these positions, rising, the ones that are not worth their room: the further back, the fewer
/// are kept, so that their number grows with the logarithm of the log. The newest two always stay.
std::vector<Position> superfluous_checkpoints(const std::vector<Position>& positions);

/// Positions of the checkpoints in a store, rising.
std::vector<Position> list_checkpoints(const std::string& store);

/// The rows of the newest checkpoint at or before `at` that is of this log and of this program's views; null
/// when there is none. Any thread.
std::shared_ptr<const ViewReader> open_checkpoint(const std::string& store, const EventLog& log, Position at);

/// Removes all of them: what was copied may be as faulty as the rows that are made anew.
void remove_checkpoints(const std::string& store);

/// Removes what a crash has left of a copy. Under the store's lock.
void remove_half_made_checkpoints(const std::string& store);

/// Makes them as the rows go on. One thread at a time.
class ViewCheckpoints {
 public:
  /// Events between two checkpoints: what is folded in about a tenth of a second.
  static constexpr Position kEvery = 100'000;
  /// No checkpoint is made when the disk has less left than this.
  static constexpr std::uint64_t kRoomToLeave = 1 << 30;
  /// Copies the rows as they are to a new folder (OpenedViews::copy).
  using Copy = std::function<Status(const std::string& folder)>;

  ViewCheckpoints(std::string store, const EventLog& log, Copy copy, Position every = kEvery,
                  std::uint64_t room_to_leave = kRoomToLeave);
  /// The rows, all written, have come to this position: makes a checkpoint if it is time for one, and removes
  /// what is superfluous or of other views. An error of the copy is told once and changes nothing else.
  Status reached(Position position);
  /// The position at which the next one is due, at the earliest. On the thread of reached().
  Position next() const { return next_; }

 private:
  void tidy() const;

  std::string store_;
  const EventLog& log_;
  Copy copy_;
  Position every_;
  std::uint64_t room_to_leave_;
  Position next_;
};

}  // namespace luzia
