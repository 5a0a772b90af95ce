// Limits how many operations of a kind run at once; the others wait for their turn. So the other users of the
// workers (launches, cancels, the reading of output) always find some free. Loop thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

namespace luzia {

class Turns {
 public:
  explicit Turns(std::size_t most) : most_(most) {}

  /// Calls `begin` at once, or when its turn comes, in order of arrival. Call over() when that operation
  /// ends. If `wanted` returns false when the turn comes, the operation is dropped.
  void take(std::function<bool()> wanted, std::function<void()> begin);
  void over();

 private:
  struct Waiting {
    std::function<bool()> wanted;
    std::function<void()> begin;
  };
  void go_on();

  std::size_t most_;
  std::size_t begun_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace luzia
