#include "tools/luziad/base/pace.h"

#include <chrono>
#include <utility>

#include "tools/luziad/base/loop.h"

namespace luzia {

Pace::Pace(std::stop_token stop, std::uint64_t bytes_per_second)
    : stop_(std::move(stop)), bytes_per_second_(bytes_per_second), began_(monotonic_now()) {}

void Pace::reached(std::uint64_t bytes) {
  const auto due = began_ + static_cast<TimeUs>(bytes * kSecondUs / bytes_per_second_);
  const TimeUs early = due - monotonic_now();
  if (early < 10 * kMillisecondUs) return;
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, stop_, std::chrono::microseconds(early), [] { return false; });
}

}  // namespace luzia
