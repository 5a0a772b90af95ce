// How long to wait after errors: longer each time, and not as long on each machine of a fleet. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "engine/base/hash.h"
#include "engine/base/result.h"

namespace luzia {

class Pauses {
 public:
  void reset() { next_ = kFirst; }
  std::chrono::milliseconds after(const Error& error) {
    const auto pause = error.kind == ErrorKind::trouble ? next_ : kWhenRefused;
    next_ = std::min(next_ * 2, kLongest);
    const auto random = static_cast<std::uint8_t>(random_bytes(1).front());
    return pause / 2 + pause / 2 * random / 255;
  }

 private:
  static constexpr std::chrono::milliseconds kFirst{250}, kLongest{30'000}, kWhenRefused{60'000};
  std::chrono::milliseconds next_ = kFirst;
};

}  // namespace luzia
