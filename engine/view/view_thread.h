// The view thread folds durable groups soon after they are added, and at once if somebody waits for their
// rows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/view/fold.h"

namespace luzia {

class ViewThread {
 public:
  /// Maximum bytes of groups that wait in memory; groups beyond that are read from the log later.
  static constexpr std::size_t kMaxWaitingBytes = 16 << 20;
  /// Longest time that rows stay behind if nobody waits for them and less than one flush is pending. A
  /// wake-up and a flush for each group would take processor time that the next group needs.
  static constexpr std::chrono::milliseconds kGatherTime{4};

  /// The store must be caught up to the log's tip (catch_up with the same registry). Starts the thread.
  /// `log`, `registry` and `store` must outlive it.
  ViewThread(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store,
             std::size_t max_waiting_bytes = kMaxWaitingBytes);
  /// Folds what was added, runs the callbacks that are due, drops the others, and ends the thread.
  ~ViewThread();

  /// Any thread, in order of positions, once the log has the group. Groups that were skipped are read from
  /// the log.
  void add(std::shared_ptr<const Group> group);
  /// Runs `then` on the view thread once the rows include `position`. Also runs it after folding has failed
  /// (see status()), so that nobody waits for ever. `then` must be short, or take its own snapshot on another
  /// thread.
  void when_at(Position position, std::function<void()> then);
  /// The position that the rows have reached.
  Position position() const;
  /// Bytes of the groups that wait in memory.
  std::size_t waiting_bytes() const;
  /// An error if folding failed (full disk): the rows do not change until the next start, but the log goes
  /// on. Whoever waited with when_at() must check position().
  Status status() const;

 private:
  using Groups = std::deque<std::shared_ptr<const Group>>;
  void run();
  bool behind() const { return position_ < told_ && status_; }
  bool due() const;
  bool wanted_now() const;
  Groups take_groups();
  Status fold(const Groups& groups);
  Status fold_from_log(Position until);
  std::vector<std::function<void()>> take_due();

  const EventLog& log_;
  const std::size_t max_waiting_bytes_;
  Fold fold_;  // view thread only
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Groups groups_;                                           // under mutex_; ordered, may have gaps
  std::size_t waiting_bytes_ = 0;                           // under mutex_, of groups_
  Position told_ = 0;                                       // under mutex_; last added position
  std::multimap<Position, std::function<void()>> waiting_;  // under mutex_; callbacks by position
  Position position_ = 0;                                   // under mutex_
  Status status_;                                           // under mutex_
  bool stopping_ = false;                                   // under mutex_
  std::thread thread_;
};

}  // namespace luzia
