// Controls everything below luzia-run. luzia-run is a subreaper: it becomes the parent of every descendant
// whose own parent ends, even in another session or group. So "no child left" means "no descendant left",
// without reading /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "tools/luzia-run/sandbox.h"

namespace luzia::run {

/// One watched child, and the resources that it and all other children reaped since have used.
struct Watched {
  const Sandbox& sandbox;  // its own processes are never signaled, and do not count as children
  pid_t pid = -1;
  bool ended = false;
  int status = 0;  // from wait(2)
  bool childless = false;
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t max_rss_kib = 0;
};

std::uint64_t monotonic_ms();

/// Blocks every signal permanently; next_signal() takes them one at a time.
void block_signals();

/// Waits for the next signal and returns its number; 0 after `deadline_ms` (monotonic; 0: no deadline).
int next_signal(std::uint64_t deadline_ms);

/// Takes a pending TERM or USR1; 0: none.
int take_stop_signal();

void reap(Watched& watched);

/// Sends the signal to the watched child's group and to every descendant outside of it, each once; after TERM
/// also CONT, so that stopped processes receive it.
void signal_all(const Watched& watched, int signal);

/// Sends KILL to every descendant repeatedly until none is left. Gives up on processes that do not die within
/// 10 s (stuck in the kernel) or that we may not signal. Returns how many were killed.
unsigned kill_all(Watched& watched);

}  // namespace luzia::run
