// What running attempts use now, from /proc: memory, processes and threads. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
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

struct ProcessInTree {
  pid_t pid = 0;
  std::string name;
  std::uint64_t resident = 0;  // bytes
};
struct TreeUse {
  std::uint64_t resident = 0;            // bytes; a page that several processes share counts for each
  std::uint64_t threads = 0;             // of all processes: what RLIMIT_NPROC and pids.max count
  std::vector<ProcessInTree> processes;  // largest first
};
/// What each tree uses; nothing: its root is gone, or unknown. Costs what resident_kib() costs.
std::vector<TreeUse> use_of_trees(std::span<const ProcessTree> trees);

/// Whether the tree holds more than `limit` bytes if a page that several processes share counts once. Asks
/// the kernel for each process in turn, the largest first, and stops when the answer is certain; a process
/// that it may not ask about counts as in `use`. A process of 1 GiB takes about 5 ms.
bool holds_more_than(const TreeUse& use, std::uint64_t limit);

}  // namespace luzia
