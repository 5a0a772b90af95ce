#include "tests/simulation/fleet/fiber.h"

namespace luzia::test {

Fiber::Fiber(std::function<void(Fiber&)> body) {
  thread_ = std::thread([this, body = std::move(body)] {
    {
      std::unique_lock lock(mutex_);
      turned_.wait(lock, [this] { return fibers_turn_; });
    }
    body(*this);
    std::lock_guard lock(mutex_);
    ended_ = true;
    fibers_turn_ = false;
    turned_.notify_all();
  });
}

void Fiber::hand_over(bool to_fiber) {
  std::unique_lock lock(mutex_);
  fibers_turn_ = to_fiber;
  turned_.notify_all();
  turned_.wait(lock, [&] { return fibers_turn_ != to_fiber; });
}

void Fiber::resume() {
  until_ = nullptr;
  hand_over(true);
}

void Fiber::wait(std::function<bool()> until) {
  until_ = std::move(until);
  hand_over(false);
}

}  // namespace luzia::test
