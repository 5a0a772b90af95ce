#include "adapters/socket/readable.h"

#include <poll.h>

#include <algorithm>
#include <cstdint>

namespace luzia {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Readable wait_readable(int first, int second, milliseconds timeout) {
  constexpr std::int64_t kLongest = 1 << 30;
  pollfd waiting[] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
  const auto ms = std::clamp<std::int64_t>(timeout.count(), -1, kLongest);
  if (::poll(waiting, 2, static_cast<int>(ms)) <= 0) return {};
  return {waiting[0].revents != 0, waiting[1].revents != 0};
}

Readable wait_readable(int first, int second, Clock::time_point until) {
  if (until == Clock::time_point::max()) return wait_readable(first, second, milliseconds(-1));
  const auto now = Clock::now();
  const auto left = until <= now ? milliseconds(0) : std::chrono::ceil<milliseconds>(until - now);
  return wait_readable(first, second, left);
}

bool is_readable(int fd) {
  return wait_readable(fd, -1, milliseconds(0)).first;
}

}  // namespace luzia
