// Lists processes from /proc and sends signals that never reach a reused pid. libc only, because luzia-run
// uses it as well as the launcher. Any thread; no shared state. Errors are errno values.
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
  std::uint32_t threads = 0;
  char name[16] = {};                // as the kernel keeps it: at most 15 bytes
  std::uint64_t resident_pages = 0;  // in memory now; pages shared with other processes count too

  /// Ended, perhaps not yet reaped by its parent.
  bool ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
};

/// False when there is no such process (or /proc is not readable).
bool read_process(pid_t pid, ProcessStat& out);

/// A descriptor of the process that has this pid now; -1: errno says why not.
int open_pidfd(pid_t pid);

/// Sends `signal` to exactly this process. Returns 0; ESRCH if it is gone or its pid was reused; or the errno
/// of kill() (EPERM).
int signal_process(pid_t pid, std::uint64_t start, int signal);

/// Sends `signal` to the process group that exactly this process leads; same results.
int signal_group(pid_t leader, std::uint64_t start, int signal);

/// A snapshot of all processes of the machine (about 10 us each). Memory comes from malloc. If it runs out,
/// scan() fails and keeps what was read so far.
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

  /// Selects every descendant of a selected process or of `root`; does not select `root` itself.
  void select_descendants(pid_t root);

 private:
  bool add(const ProcessStat& stat);

  Entry* entries_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace luzia
