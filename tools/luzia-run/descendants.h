// Everything below luzia-run: being a subreaper, it becomes the parent of every descendant whose own parent
// ends, whatever session or group it moved to. So "no child left" means "no descendant left", without a look
// at /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace luzia::run {

/// One child that is waited for, and what it and all others collected since have used.
struct Watched {
  pid_t pid = -1;
  bool ended = false;
  int status = 0;  // as of wait(2)
  bool childless = false;
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t max_rss_kib = 0;
};

std::uint64_t monotonic_ms();

/// Blocks every signal, for good: they are taken one by one by next_signal.
void block_signals();

/// Waits for the next signal and returns its number, 0 when `deadline_ms` (monotonic; 0 = never) has passed.
int next_signal(std::uint64_t deadline_ms);

/// A TERM or USR1 that has arrived, taken; 0: none has.
int take_stop_signal();

/// Collects every child that has ended.
void reap(Watched& watched);

/// TERM, then CONT so that stopped ones hear it, to the group of the watched child and to every descendant
/// outside of it, each once.
void terminate_all(const Watched& watched);

/// KILL to every descendant, again and again until none is left. Gives up on those that do not die within 10
/// s (stuck in the kernel) or that we may not signal. Returns how many were killed.
unsigned kill_all(Watched& watched);

}  // namespace luzia::run
