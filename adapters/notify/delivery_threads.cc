#include "adapters/notify/delivery_threads.h"

#include <signal.h>

namespace luzia {

DeliveryThreads::~DeliveryThreads() {
  stop_.request_stop();
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DeliveryThreads::run(std::function<void(const std::stop_token&)> work) {
  std::size_t waiting = 0, idle = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    waiting = waiting_.size();
    idle = idle_;
  }
  if (waiting > idle && threads_.size() < kMost) {
    // A new thread inherits its creator's signal mask. Signals are for the loop, and a closed pipe is to be
    // seen as an error.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    threads_.emplace_back([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  wake_.notify_one();
}

void DeliveryThreads::serve() {
  const std::stop_token stop = stop_.get_token();
  for (;;) {
    std::function<void(const std::stop_token&)> work;
    {
      std::unique_lock lock(mutex_);
      ++idle_;
      wake_.wait(lock, stop, [this] { return !waiting_.empty(); });
      --idle_;
      if (stop.stop_requested()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work(stop);
  }
}

}  // namespace luzia
