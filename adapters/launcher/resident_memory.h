// How much memory running attempts use now, from /proc. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace luzia {

/// A process and its descendants. `start`: as in ProcessStat; with the pid it names one process only.
struct ProcessTree {
  pid_t root = 0;
  std::uint64_t start = 0;
  bool counts_root = false;  // false: only its descendants (luzia-run is no part of an attempt)
};

/// The resident memory of each tree in KiB; 0: its root is gone, or unknown. A page that several processes
/// share counts for each. Looks once at every process of the machine (about 10 us each).
std::vector<std::uint64_t> resident_kib(std::span<const ProcessTree> trees);

}  // namespace luzia
