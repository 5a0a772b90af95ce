// Waits for descriptors to become readable: a connection, and one that interrupts the wait for it. Any
// thread.
#pragma once

#include <chrono>

namespace luzia {

/// Which of two descriptors may be read; neither after the timeout, or if a signal handler ran.
struct Readable {
  bool first = false, second = false;
};

/// Waits until one of them (negative: none) is readable or closed by the other side, or until the given time
/// (max(): no limit).
Readable wait_readable(int first, int second, std::chrono::steady_clock::time_point until);
/// The same with a duration; negative: no limit.
Readable wait_readable(int first, int second, std::chrono::milliseconds timeout);

bool is_readable(int fd);

}  // namespace luzia
