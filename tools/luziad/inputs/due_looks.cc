#include "tools/luziad/inputs/due_looks.h"

#include <algorithm>

namespace luzia {

void DueLooks::look_soon(const std::string& job, TimeUs wait) {
  const TimeUs due = monotonic_now() + wait;
  const auto [it, added] = due_.try_emplace(job, due);
  if (!added && it->second <= due) return;
  it->second = due;
  const auto earliest = std::ranges::min_element(due_, {}, [](const auto& each) { return each.second; });
  const TimeUs left = std::max<TimeUs>(0, earliest->second - monotonic_now());
  timer_->start(static_cast<std::uint64_t>(left / kMillisecondUs) + 1, [this] { fire(); });
}

void DueLooks::fire() {
  const TimeUs now = monotonic_now();
  for (const auto& [job, due] : std::exchange(due_, {})) {
    if (due > now) {
      look_soon(job, due - now);
    } else {
      look_(job);
    }
  }
}

void DueLooks::close() {
  timer_.reset();
  due_.clear();
}

}  // namespace luzia
