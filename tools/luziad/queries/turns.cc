#include "tools/luziad/queries/turns.h"

#include <utility>

namespace luzia {

void Turns::take(std::function<bool()> wanted, std::function<void()> begin) {
  waiting_.push_back({std::move(wanted), std::move(begin)});
  go_on();
}

void Turns::over() {
  --begun_;
  go_on();
}

void Turns::go_on() {
  while (begun_ < most_ && !waiting_.empty()) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!next.wanted()) continue;
    ++begun_;
    next.begin();
  }
}

}  // namespace luzia
