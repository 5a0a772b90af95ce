// A part of a simulated program that runs a step at a time: a thread of its own, of which only one runs at
// any moment. The simulation resumes it; it runs until it waits or ends. So every interleaving is the seed's.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace luzia::test {

class Fiber {
 public:
  /// Does not begin yet.
  explicit Fiber(std::function<void(Fiber&)> body);
  /// It must have ended.
  ~Fiber() { thread_.join(); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it waits or ends. Not from within a fiber.
  void resume();
  bool ended() const { return ended_; }
  /// Whether what it waits for has happened.
  bool is_ready() const { return !ended_ && (!until_ || until_()); }

  /// From within: lets the simulation go on; resumed when it has come to that.
  void wait(std::function<bool()> until = {});

 private:
  void hand_over(bool to_fiber);

  std::mutex mutex_;
  std::condition_variable turned_;
  bool fibers_turn_ = false;  // under mutex_
  bool ended_ = false;        // the members below: of whoever's turn it is
  std::function<bool()> until_;
  std::thread thread_;
};

}  // namespace luzia::test
