// Processes as /proc shows them, and signals that never reach a reused pid. libc only: luzia-run and the
// launcher both use it. Any thread; no shared state. Errors are errno values.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace luzia {

/// One process, from /proc/PID/stat. `start` is in clock ticks since boot: pid and start together never
/// repeat within a boot.
struct ProcessStat {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';
  std::uint64_t start = 0;

  /// Ended, perhaps not yet collected by its parent.
  bool ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
};

/// False when there is no such process (or /proc is not readable).
bool read_process(pid_t pid, ProcessStat& out);

/// Sends `signal` to exactly this process; 0, or ESRCH when it is gone or the pid is another process now, or
/// the errno of the signal (EPERM).
int signal_process(pid_t pid, std::uint64_t start, int signal);

/// Sends `signal` to the process group led by exactly this process; the same results.
int signal_group(pid_t leader, std::uint64_t start, int signal);

/// One look at all processes of the machine (about 10 us each). Memory grows by malloc; a look that runs out
/// of it is an error and leaves what was read so far.
class ProcessTable {
 public:
  ProcessTable() = default;
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  struct Entry {
    ProcessStat stat;
    bool selected = false;
  };

  bool scan();
  Entry* begin() { return entries_; }
  Entry* end() { return entries_ + size_; }
  const Entry* find(pid_t pid) const;

  /// Selects every process below a selected one or below `root` (root itself is not selected by this).
  void select_descendants(pid_t root);

 private:
  bool add(const ProcessStat& stat);

  Entry* entries_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace luzia
