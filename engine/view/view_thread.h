// The view thread: folds durable groups soon after they are told, at once where somebody waits for their
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
  /// Groups that wait in memory, at most: what is told beyond that is read from the log when its turn comes.
  static constexpr std::size_t kMaxWaitingBytes = 16 << 20;
  /// So long the rows may stay behind while nobody waits for them and less than a flush has come: a wake-up
  /// and a flush for each group would take the processor that the next group needs.
  static constexpr std::chrono::milliseconds kGatherTime{4};

  /// The store must be caught up to the log's tip (catch_up with the same registry). Starts the thread. All
  /// three outlive it.
  ViewThread(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store,
             std::size_t max_waiting_bytes = kMaxWaitingBytes);
  /// Folds what was added, runs what has become due, drops the rest, ends the thread.
  ~ViewThread();

  /// Any thread, in order of positions, once the log has the group. What was left out before it is read from
  /// the log.
  void add(std::shared_ptr<const Group> group);
  /// Runs `then` on the view thread once rows include `position`; also when folding has failed (see
  /// status()), so that nobody waits for ever. `then` must be short or take its own snapshot elsewhere.
  void when_at(Position position, std::function<void()> then);
  /// Position that the rows have reached.
  Position position() const;
  /// Of the groups that wait in memory.
  std::size_t waiting_bytes() const;
  /// An error when folding failed (full disk in views): rows stand still until the next start, the log goes
  /// on. Whoever waited with when_at() must look at position(): it may not have come.
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
  Groups groups_;                                           // under mutex_, in order, gaps between them
  std::size_t waiting_bytes_ = 0;                           // under mutex_, of groups_
  Position told_ = 0;                                       // under mutex_, the last that was added
  std::multimap<Position, std::function<void()>> waiting_;  // under mutex_
  Position position_ = 0;                                   // under mutex_
  Status status_;                                           // under mutex_
  bool stopping_ = false;                                   // under mutex_
  std::thread thread_;
};

}  // namespace luzia
