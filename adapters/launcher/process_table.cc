#include "adapters/launcher/process_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luzia {
namespace {

// Debian 12's linux/pidfd.h lacks it; kernels before 6.9 return EINVAL.
constexpr unsigned kPidfdSignalProcessGroup = 1U << 2;

int send_by_pidfd(int pidfd, int signal, unsigned flags) {
  return ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, flags) == 0 ? 0 : errno;
}

bool is_same_live_process(pid_t pid, std::uint64_t start) {
  ProcessStat now;
  return read_process(pid, now) && now.start == start && !now.ended();
}

// The descriptor is opened before the start time is compared, so the signal cannot reach a later process with
// that pid.
int signal_checked(pid_t pid, std::uint64_t start, int signal, bool group) {
  if (pid <= 1) return ESRCH;
  const int pidfd = open_pidfd(pid);
  if (pidfd < 0 && errno != ENOSYS) return errno == EINVAL ? ESRCH : errno;
  int result = ESRCH;
  if (is_same_live_process(pid, start)) {
    result = pidfd < 0 ? ENOSYS : send_by_pidfd(pidfd, signal, group ? kPidfdSignalProcessGroup : 0);
    if (result == ENOSYS || (group && result == EINVAL)) {
      result = ::kill(group ? -pid : pid, signal) == 0 ? 0 : errno;
    }
  }
  if (pidfd >= 0) ::close(pidfd);
  return result;
}

int compare_pids(const void* left, const void* right) {
  const pid_t a = static_cast<const ProcessTable::Entry*>(left)->stat.pid;
  const pid_t b = static_cast<const ProcessTable::Entry*>(right)->stat.pid;
  return (a > b) - (a < b);
}

}  // namespace

int open_pidfd(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

bool read_process(pid_t pid, ProcessStat& out) {
  char path[32];
  ::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[1024];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (size <= 0) return false;
  text[size] = '\0';
  // The name in parentheses may itself contain parentheses and blanks: the last parenthesis ends it.
  const char* after_name = ::strrchr(text, ')');
  if (after_name == nullptr) return false;
  const char* name = ::strchr(text, '(');
  if (name == nullptr || name > after_name) return false;
  const std::size_t length = static_cast<std::size_t>(after_name - ++name);
  const std::size_t kept = length < sizeof out.name ? length : sizeof out.name - 1;
  ::memcpy(out.name, name, kept);
  out.name[kept] = '\0';
  unsigned long long start = 0, resident = 0;
  const int fields = ::sscanf(
      after_name + 1, " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %u %*d %llu %*u %llu",
      &out.state, &out.parent, &out.group, &out.session, &out.threads, &start, &resident);
  out.pid = pid;
  out.start = start;
  out.resident_pages = resident;
  return fields == 7;
}

int signal_process(pid_t pid, std::uint64_t start, int signal) {
  return signal_checked(pid, start, signal, /*group=*/false);
}

int signal_group(pid_t leader, std::uint64_t start, int signal) {
  return signal_checked(leader, start, signal, /*group=*/true);
}

ProcessTable::~ProcessTable() {
  ::free(entries_);
}

bool ProcessTable::scan() {
  size_ = 0;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return false;
  bool complete = true;
  while (const dirent* entry = ::readdir(proc)) {
    char* end = nullptr;
    const long pid = ::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || *end != '\0') continue;
    ProcessStat stat;
    if (read_process(static_cast<pid_t>(pid), stat) && !add(stat)) {
      complete = false;
      break;
    }
  }
  ::closedir(proc);
  if (size_ > 0) ::qsort(entries_, size_, sizeof(Entry), compare_pids);
  return complete;
}

bool ProcessTable::add(const ProcessStat& stat) {
  if (size_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 256 : capacity_ * 2;
    auto* grown = static_cast<Entry*>(::realloc(entries_, capacity * sizeof(Entry)));
    if (grown == nullptr) return false;
    entries_ = grown;
    capacity_ = capacity;
  }
  entries_[size_++] = Entry{stat, false};
  return true;
}

const ProcessTable::Entry* ProcessTable::find(pid_t pid) const {
  if (size_ == 0) return nullptr;  // bsearch refuses a null array
  Entry wanted;
  wanted.stat.pid = pid;
  return static_cast<const Entry*>(::bsearch(&wanted, entries_, size_, sizeof(Entry), compare_pids));
}

void ProcessTable::select_descendants(pid_t root) {
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < size_; ++i) {
      Entry& entry = entries_[i];
      if (entry.selected || entry.stat.pid == root) continue;
      const Entry* parent = entry.stat.parent == root ? nullptr : find(entry.stat.parent);
      if (entry.stat.parent != root && (parent == nullptr || !parent->selected)) continue;
      entry.selected = true;
      grew = true;
    }
  }
}

}  // namespace luzia
