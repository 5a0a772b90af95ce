#include "engine/view/view_thread.h"

#include <algorithm>

namespace luzia {

ViewThread::ViewThread(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store,
                       std::size_t max_waiting_bytes)
    : log_(log),
      max_waiting_bytes_(max_waiting_bytes),
      fold_(registry, store),
      position_(fold_.cursor().position) {
  thread_ = std::thread([this] { run(); });
}

ViewThread::~ViewThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ViewThread::add(std::shared_ptr<const Group> group) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (!status_ || group->last_position() <= std::max(told_, position_)) return;
    const bool gathering = behind();
    told_ = group->last_position();
    const std::size_t bytes = group->frames().size();
    if (waiting_bytes_ + bytes <= max_waiting_bytes_) {
      waiting_bytes_ += bytes;
      groups_.push_back(std::move(group));
    }
    wake = !gathering || wanted_now();
  }
  if (wake) wake_.notify_one();
}

void ViewThread::when_at(Position position, std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(position, std::move(then));
  }
  wake_.notify_one();
}

Position ViewThread::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

std::size_t ViewThread::waiting_bytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

Status ViewThread::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

/// Under mutex_: whether a callback is due because its rows exist or never will.
bool ViewThread::due() const {
  return !waiting_.empty() && (waiting_.begin()->first <= position_ || !status_);
}

/// Under mutex_: whether to fold now instead of gathering more groups.
bool ViewThread::wanted_now() const {
  const bool awaited = !waiting_.empty() && waiting_.begin()->first <= told_;
  return stopping_ || awaited || told_ >= position_ + Fold::kEventsPerFlush;
}

/// Under mutex_.
std::vector<std::function<void()>> ViewThread::take_due() {
  std::vector<std::function<void()>> due;
  const auto end = status_ ? waiting_.upper_bound(position_) : waiting_.end();
  for (auto it = waiting_.begin(); it != end; ++it) due.push_back(std::move(it->second));
  waiting_.erase(waiting_.begin(), end);
  return due;
}

/// Under mutex_: groups that directly follow the rows, at most one flush. Empty: the log must be read first.
ViewThread::Groups ViewThread::take_groups() {
  Groups taken;
  Position next = position_ + 1;
  while (!groups_.empty() && groups_.front()->first_position() <= next &&
         next <= position_ + Fold::kEventsPerFlush) {
    next = groups_.front()->last_position() + 1;
    waiting_bytes_ -= groups_.front()->frames().size();
    taken.push_back(std::move(groups_.front()));
    groups_.pop_front();
  }
  return taken;
}

void ViewThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!due() && !behind()) {
      if (stopping_) return;
      wake_.wait(lock);
      continue;
    }
    if (behind()) wake_.wait_for(lock, kGatherTime, [this] { return wanted_now(); });
    const auto ready = take_due();
    const Groups groups = take_groups();
    const bool read_log = groups.empty() && behind();
    const Position missing_until = groups_.empty() ? told_ : groups_.front()->first_position() - 1;
    lock.unlock();
    for (const auto& then : ready) then();
    if (groups.empty() && !read_log) {
      lock.lock();
      continue;
    }
    Status folded = read_log ? fold_from_log(missing_until) : fold(groups);
    lock.lock();
    if (folded) {
      position_ = fold_.cursor().position;
    } else {
      status_ = std::move(folded);
      groups_.clear();
      waiting_bytes_ = 0;
    }
  }
}

Status ViewThread::fold(const Groups& groups) {
  for (const auto& group : groups) fold_.apply(*group);
  return fold_.flush();
}

/// Folds one flush of events from the log, for groups that were added but not kept in memory.
Status ViewThread::fold_from_log(Position until) {
  const Position from = fold_.cursor().position + 1;
  const auto groups = log_.read_from(from);
  while (fold_.cursor().position < until && fold_.cursor().position < from + Fold::kEventsPerFlush) {
    auto group = LUZIA_TRY(groups->next());
    if (!group) {
      return fail(ErrorKind::trouble, "views_failed",
                  "the log ends before event " + std::to_string(until) + ", which the views expect",
                  "restart luziad: it rebuilds the views from the log");
    }
    fold_.apply(*group);
  }
  return fold_.flush();
}

}  // namespace luzia
