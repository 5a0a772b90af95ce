#include "tools/luzia/set_up/silent_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

#include "engine/base/store_file.h"
#include "engine/base/time.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

// A daemon needs a moment to exit, because it finishes its current work.
constexpr milliseconds kLeastPatience{5'000}, kKillPatience{10'000};

/// A process held by a descriptor, because its pid may belong to another process when it is signaled.
class Held {
 public:
  explicit Held(pid_t pid) : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Held() {
    if (fd_ >= 0) ::close(fd_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool is_there() const { return fd_ >= 0; }
  bool signal(int number) const { return ::syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0) == 0; }
  bool ends_within(milliseconds time) const {
    pollfd ended{fd_, POLLIN, 0};
    constexpr milliseconds::rep kLongest = 1 << 30;
    return ::poll(&ended, 1, static_cast<int>(std::min(time.count(), kLongest))) == 1;
  }

 private:
  int fd_;
};

}  // namespace

std::string process_state(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t end = text.rfind(") ");
  if (text.find("(luziad") == std::string::npos || end == std::string::npos) return {};
  switch (text[end + 2]) {
    case 'T':
      return "stopped";
    case 't':
      return "traced";
    case 'D':
      return "disk";
    case 'R':
      return "running";
    default:
      return "sleeping";
  }
}

std::optional<pid_t> daemon_of(const std::string& store) {
  if (store.empty()) return std::nullopt;
  const std::string path = store + "/lock";
  const auto fd = open_store_file(path, O_RDONLY);
  if (!fd) return std::nullopt;
  const bool locked = ::flock(*fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(*fd);
  const auto written = locked ? read_store_file(path) : Result<std::optional<std::string>>();
  if (!written || !*written) return std::nullopt;
  pid_t pid = 0;
  std::istringstream lock(**written);
  if (!(lock >> pid) || pid <= 0 || process_state(pid).empty()) return std::nullopt;
  return pid;
}

Status end_silent_daemon(const Invocation& invocation, const std::string& store, bool force,
                         const Error& why) {
  const auto pid = daemon_of(store);
  const auto silence = invocation.silence();
  if (!pid || !silence) return tl::unexpected(pid ? silence.error() : why);
  const milliseconds patience =
      silence->limit.count() > 0 ? std::max(silence->limit, kLeastPatience) : milliseconds::max();
  const Held daemon(*pid);
  const std::string state = process_state(*pid);
  if (!daemon.is_there() || state.empty()) return {};  // it has just ended
  const std::string name = "the daemon (pid " + std::to_string(*pid) + ")";
  if (!daemon.signal(SIGTERM)) {
    return fail_errno(errno, "daemon_silent", "stopping " + name + ", which does not answer",
                      "ask its user or root to stop it");
  }
  if (state == "stopped") daemon.signal(SIGCONT);
  invocation.say(name + " does not answer: sent it SIGTERM" + (state == "stopped" ? " and SIGCONT" : ""));
  if (daemon.ends_within(patience)) return {};
  if (force) {
    invocation.say(name + " does not exit: sent it SIGKILL");
    daemon.signal(SIGKILL);
    if (daemon.ends_within(kKillPatience)) return {};
  }
  return fail(ErrorKind::trouble, "daemon_slow",
              "stopping " + name + ": it is still running " +
                  format_duration(patience.count() * kMillisecondUs) + " after SIGTERM" +
                  (force ? ", and after SIGKILL" : ""),
              force ? "it waits in the kernel, perhaps for a disk: see dmesg"
                    : "luzia daemon stop --force kills it: running jobs continue, and everything it "
                      "acknowledged is in the log");
}

}  // namespace luzia
