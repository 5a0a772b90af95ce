// The view thread: folds durable groups as they are told, so that rows follow the log within a moment.
#pragma once

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
  /// The store must be caught up to the log's tip (catch_up with the same registry). Starts the thread. All
  /// three outlive it.
  ViewThread(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store);
  /// Folds what was added, runs what has become due, drops the rest, ends the thread.
  ~ViewThread();

  /// Any thread, in order of positions. Groups that were added out of order are read from the log.
  void add(std::shared_ptr<const Group> group);
  /// Runs `then` on the view thread once rows include `position`; also when folding has failed (see
  /// status()), so that nobody waits for ever. `then` must be short or take its own snapshot elsewhere.
  void when_at(Position position, std::function<void()> then);
  /// Position that the rows have reached.
  Position position() const;
  /// An error when folding failed (full disk in views): rows stand still until the next start, the log goes
  /// on. Whoever waited with when_at() must look at position(): it may not have come.
  Status status() const;

 private:
  using Groups = std::deque<std::shared_ptr<const Group>>;
  void run();
  Status fold(const Groups& groups);
  Status fold_missing(Position before);
  std::vector<std::function<void()>> take_due();

  const EventLog& log_;
  Fold fold_;  // view thread only
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Groups groups_;                                           // under mutex_
  std::multimap<Position, std::function<void()>> waiting_;  // under mutex_
  Position position_ = 0;                                   // under mutex_
  Status status_;                                           // under mutex_
  bool stopping_ = false;                                   // under mutex_
  std::thread thread_;
};

}  // namespace luzia
