// Keeps background work at an average rate, so that it leaves the disk to others. One thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

#include "engine/base/time.h"

namespace luzia {

class Pace {
 public:
  Pace(std::stop_token stop, std::uint64_t bytes_per_second);
  /// `bytes`: since the beginning. Sleeps if that was faster than the rate; not once `stop` is requested.
  void reached(std::uint64_t bytes);

 private:
  std::stop_token stop_;
  std::uint64_t bytes_per_second_;
  TimeUs began_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
};

}  // namespace luzia
