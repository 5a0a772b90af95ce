#include "engine/view/view_thread.h"

namespace luzia {

ViewThread::ViewThread(const EventLog& log, const ProjectionRegistry& registry, ViewStore& store)
    : log_(log), fold_(registry, store), position_(fold_.cursor().position) {
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
  {
    const std::lock_guard lock(mutex_);
    if (!status_) return;
    groups_.push_back(std::move(group));
  }
  wake_.notify_one();
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

Status ViewThread::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

/// Under mutex_.
std::vector<std::function<void()>> ViewThread::take_due() {
  std::vector<std::function<void()>> due;
  const auto end = status_ ? waiting_.upper_bound(position_) : waiting_.end();
  for (auto it = waiting_.begin(); it != end; ++it) due.push_back(std::move(it->second));
  waiting_.erase(waiting_.begin(), end);
  return due;
}

void ViewThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    auto due = take_due();
    if (due.empty() && groups_.empty()) {
      if (stopping_) return;
      wake_.wait(lock);
      continue;
    }
    const Groups groups = std::exchange(groups_, {});
    lock.unlock();
    for (const auto& then : due) then();
    Status folded = groups.empty() ? Status{} : fold(groups);
    lock.lock();
    if (groups.empty()) continue;
    if (folded) {
      position_ = fold_.cursor().position;
    } else {
      status_ = std::move(folded);
      groups_.clear();
    }
  }
}

Status ViewThread::fold(const Groups& groups) {
  for (const auto& group : groups) {
    if (group->first_position() > fold_.cursor().position + 1) {
      if (Status read = fold_missing(group->first_position()); !read) return read;
    }
    fold_.apply(*group);
  }
  return fold_.flush();
}

/// A gap before a group that was handed over: the log has what is missing.
Status ViewThread::fold_missing(Position before) {
  auto groups = log_.read_from(fold_.cursor().position + 1);
  while (fold_.cursor().position + 1 < before) {
    auto group = groups->next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) break;
    fold_.apply(**group, before - 1);
  }
  return {};
}

}  // namespace luzia
