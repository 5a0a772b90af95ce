// Waiting for descriptors that become readable: a connection, and what may end the wait for it. Any thread.
#pragma once

#include <chrono>

namespace luzia {

/// Which of two descriptors may be read; neither when the time was over, or a signal's handler has run.
struct Readable {
  bool first = false, second = false;
};

/// Until one of them (negative: none) is readable, or closed by the other side, or the time has come
/// (max(): it never does).
Readable wait_readable(int first, int second, std::chrono::steady_clock::time_point until);
/// The same for so long; negative: for ever.
Readable wait_readable(int first, int second, std::chrono::milliseconds timeout);

bool is_readable(int fd);

}  // namespace luzia
