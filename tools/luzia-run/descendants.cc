#include "tools/luzia-run/descendants.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"

namespace luzia::run {
namespace {

std::uint64_t in_us(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

// Processes already signaled, so that each gets a graceful signal once and is counted once.
class Seen {
 public:
  Seen() = default;
  ~Seen() { ::free(entries_); }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  /// False if it was already there.
  bool insert(const ProcessStat& process) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (entries_[i].pid == process.pid && entries_[i].start == process.start) return false;
    }
    if (size_ == capacity_) grow();
    if (size_ < capacity_) entries_[size_++] = {process.pid, process.start};
    return true;
  }

 private:
  struct Entry {
    pid_t pid;
    std::uint64_t start;
  };

  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 64 : capacity_ * 2;
    if (auto* grown = static_cast<Entry*>(::realloc(entries_, capacity * sizeof(Entry)))) {
      entries_ = grown;
      capacity_ = capacity;
    }
  }

  Entry* entries_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// One sweep: sends KILL to every live descendant. False if all live ones belong to other users. Finding none
// alive proves little: a process born during the scan is missed if its parent ended before the scan reached
// it.
bool kill_once(const Sandbox& sandbox, Seen& seen, unsigned& killed) {
  ProcessTable table;
  table.scan();
  table.select_descendants(::getpid());
  bool found = false, refused = false;
  for (const ProcessTable::Entry& entry : table) {
    if (!entry.selected || entry.stat.ended() || sandbox.owns(entry.stat.pid)) continue;
    const int error = signal_process(entry.stat.pid, entry.stat.start, SIGKILL);
    refused = refused || error == EPERM;
    if (error != 0) continue;
    found = true;
    if (seen.insert(entry.stat)) ++killed;
  }
  return found || !refused;
}

int wait_for(const sigset_t& set, std::uint64_t deadline_ms) {
  if (deadline_ms == 0) return ::sigwaitinfo(&set, nullptr);
  const std::uint64_t now = monotonic_ms();
  const std::uint64_t left = now < deadline_ms ? deadline_ms - now : 0;
  const timespec timeout{static_cast<time_t>(left / 1000), static_cast<long>(left % 1000) * 1'000'000};
  return ::sigtimedwait(&set, nullptr, &timeout);
}

// sigfillset() leaves out those that a C library keeps for itself; of musl one that glibc sends as SIGRTMIN.
sigset_t all_signals() {
  sigset_t all;
  ::memset(&all, 0xff, sizeof all);
  return all;
}

// A sandbox's orphans are children of its keeper. Others than the watched child are not ours.
bool has_only_own(const Watched& watched) {
  return watched.sandbox.is_open() && (watched.pid < 0 || watched.ended) && watched.sandbox.has_no_orphans();
}

}  // namespace

std::uint64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

void block_signals() {
  const sigset_t all = all_signals();
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

int next_signal(std::uint64_t deadline_ms) {
  const sigset_t all = all_signals();
  for (;;) {
    const int signal = wait_for(all, deadline_ms);
    if (signal > 0) return signal;
    if (errno == EAGAIN) return 0;
  }
}

int take_stop_signal() {
  sigset_t stops;
  ::sigemptyset(&stops);
  ::sigaddset(&stops, SIGTERM);
  ::sigaddset(&stops, SIGUSR1);
  const timespec at_once{};
  const int signal = ::sigtimedwait(&stops, nullptr, &at_once);
  return signal > 0 ? signal : 0;
}

void reap(Watched& watched) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid < 0 && errno == EINTR) continue;
    watched.childless = pid < 0 || (pid == 0 && has_only_own(watched));
    if (pid <= 0) return;
    watched.user_us += in_us(usage.ru_utime);
    watched.system_us += in_us(usage.ru_stime);
    const auto rss = static_cast<std::uint64_t>(usage.ru_maxrss);
    if (rss > watched.max_rss_kib) watched.max_rss_kib = rss;
    if (pid == watched.pid) {
      watched.ended = true;
      watched.status = status;
    }
  }
}

void signal_all(const Watched& watched, int signal) {
  // We have not reaped the leader yet, so its pid still identifies its group.
  const bool group_is_ours = watched.pid > 1 && !watched.ended;
  if (group_is_ours) {
    ::kill(-watched.pid, signal);
    if (signal == SIGTERM) ::kill(-watched.pid, SIGCONT);
  }
  Seen seen;
  constexpr int kMaxSweeps = 5;  // processes may be born or change parents during a scan
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    ProcessTable table;
    table.scan();
    table.select_descendants(::getpid());
    bool found_new = false;
    for (const ProcessTable::Entry& entry : table) {
      if (!entry.selected || entry.stat.ended() || watched.sandbox.owns(entry.stat.pid)) continue;
      if (group_is_ours && entry.stat.group == watched.pid) continue;
      if (!seen.insert(entry.stat)) continue;
      found_new = true;
      signal_process(entry.stat.pid, entry.stat.start, signal);
      if (signal == SIGTERM) signal_process(entry.stat.pid, entry.stat.start, SIGCONT);
    }
    if (!found_new) return;
  }
}

unsigned kill_all(Watched& watched) {
  constexpr std::uint64_t kGiveUpAfterMs = 10'000;
  constexpr std::uint64_t kSweepEveryMs = 20;
  const std::uint64_t give_up = monotonic_ms() + kGiveUpAfterMs;
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  Seen seen;
  unsigned killed = 0;
  for (;;) {
    reap(watched);
    if (watched.childless) return killed;
    const bool can_help = kill_once(watched.sandbox, seen, killed);
    reap(watched);
    if (watched.childless || !can_help || monotonic_ms() >= give_up) return killed;
    wait_for(child, monotonic_ms() + kSweepEveryMs);
  }
}

}  // namespace luzia::run
