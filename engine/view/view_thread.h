// The view thread: folds durable groups as they are told, so that rows follow the log within a moment.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/view/fold.h"

namespace luzia {

class ViewThread {
 public:
  /// The store must be caught up to the log's tip (catch_up). Starts the thread.
  ViewThread(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store);
  ~ViewThread();

  /// Any thread, in order of positions.
  void add(std::shared_ptr<const Group> group);
  /// Runs `then` on the view thread once rows include `position` (at once if they do). `then` must be short or
  /// take its own snapshot elsewhere.
  void when_at(Position position, std::function<void()> then);
  Position position() const;
  /// Set when folding failed (full disk in views): rows stand still, the log goes on.
  Status status() const;

 private:
  void run();

  Fold fold_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<const Group>> groups_;                    // under mutex_
  std::multimap<Position, std::function<void()>> waiting_;             // under mutex_
  Position position_ = 0;                                              // under mutex_
  Status status_;                                                      // under mutex_
  bool stopping_ = false;                                              // under mutex_
  std::thread thread_;
};

}  // namespace luzia
