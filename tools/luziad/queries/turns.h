// Who may go on at once, and who waits for their turn: so many of a kind that the others who share the
// workers (launches, cancels, the reading of output) always find some free. Loop thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

namespace luzia {

class Turns {
 public:
  explicit Turns(std::size_t most) : most_(most) {}

  /// `begin` at once, or when it is its turn, in the order they came; each ends with over(). One that is not
  /// `wanted` any more when its turn comes is dropped.
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
