#include "tools/luzia-web/workers.h"

#include <algorithm>

namespace luzia::web {

Workers::Workers(std::size_t threads, std::size_t most_waiting)
    : most_waiting_(most_waiting), most_of_one_(std::max<std::size_t>(threads / 2, 1)) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::add(const std::string& who, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    const auto own = static_cast<std::size_t>(std::ranges::count(waiting_, who, &Task::who));
    const bool full = waiting_.size() >= most_waiting_ || (!who.empty() && own >= most_waiting_ / 4);
    if (stopping_ || full) return false;
    waiting_.push_back({who, std::move(work)});
  }
  changed_.notify_one();
  return true;
}

std::deque<Workers::Task>::iterator Workers::next() {
  return std::ranges::find_if(waiting_, [this](const Task& task) {
    const auto running = running_.find(task.who);
    return task.who.empty() || running == running_.end() || running->second < most_of_one_;
  });
}

void Workers::run() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || next() != waiting_.end(); });
      if (stopping_) return;
      const auto first = next();
      task = std::move(*first);
      waiting_.erase(first);
      ++running_[task.who];
    }
    task.work();
    task.work = {};
    bool more = false;
    {
      const std::lock_guard lock(mutex_);
      if (--running_[task.who] == 0) running_.erase(task.who);
      more = !waiting_.empty();
    }
    if (more) changed_.notify_one();  // what waited for its asker
  }
}

}  // namespace luzia::web
