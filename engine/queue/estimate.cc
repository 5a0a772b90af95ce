#include "engine/queue/estimate.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace luzia {

std::optional<TimeUs> estimate_wait(std::size_t places, const std::vector<std::optional<TimeUs>>& left,
                                    const std::vector<std::optional<TimeUs>>& ahead) {
  if (places == 0) return std::nullopt;
  std::priority_queue<TimeUs, std::vector<TimeUs>, std::greater<>> free_at;
  for (const auto& each : left) {
    if (!each) return std::nullopt;
    free_at.push(std::max<TimeUs>(0, *each));
  }
  // If more jobs run than there are slots now, the first ones to end free none.
  while (free_at.size() > places) free_at.pop();
  while (free_at.size() < places) free_at.push(0);
  for (const auto& each : ahead) {
    if (!each) return std::nullopt;
    const TimeUs start = free_at.top();
    free_at.pop();
    free_at.push(start + std::max<TimeUs>(0, *each));
  }
  return free_at.top();
}

}  // namespace luzia
