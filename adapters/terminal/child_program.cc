#include "adapters/terminal/child_program.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>

#include "engine/base/descriptor.h"
#include "engine/base/plain_environment.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostOutput = 4 << 20;

struct Pipe {
  Descriptor from, to;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
};

/// Descriptors to use as 0, 1 and 2; -1: ours.
struct Streams {
  int in = -1, out = -1, err = -1;
};

bool enter_as_owner(const char* folder) {
  struct stat owner {};
  if (::lstat(folder, &owner) != 0) return false;
  if (::geteuid() == 0 && owner.st_uid != 0) {
    const gid_t group = owner.st_gid;
    keep_plain_environment();
    // In root's session it could open root's terminal and type into it (TIOCSTI).
    if (::setsid() < 0) return false;
    if (::setgroups(1, &group) != 0 || ::setresgid(group, group, group) != 0 ||
        ::setresuid(owner.st_uid, owner.st_uid, owner.st_uid) != 0) {
      return false;
    }
  }
  return ::chdir(folder) == 0;
}

[[noreturn]] void become(char* const* words, const char* folder, const Streams& streams, int failure) {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (streams.in >= 0) ::dup2(streams.in, STDIN_FILENO);
  if (streams.out >= 0) ::dup2(streams.out, STDOUT_FILENO);
  if (streams.err >= 0) ::dup2(streams.err, STDERR_FILENO);
  if (folder[0] != '\0') ::unsetenv("TMUX");  // so that tmux allows a session within a session
  if (folder[0] == '\0' || enter_as_owner(folder)) ::execvp(words[0], words);
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = ::write(failure, &reason, sizeof reason);
  ::_exit(127);
}

Result<pid_t> start(const std::vector<std::string>& argv, const std::string& folder, const Streams& streams) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Pipe failure;
  const pid_t pid = failure.to ? ::fork() : -1;
  if (pid == 0) become(words.data(), folder.c_str(), streams, failure.to.get());
  if (pid < 0) return fail_errno(errno, "cannot_run", "running " + argv.front());
  failure.to.reset();
  int reason = 0;
  if (::read(failure.from.get(), &reason, sizeof reason) != sizeof reason) return pid;
  ::waitpid(pid, nullptr, 0);
  return fail_errno(reason, "cannot_run", "running " + argv.front());
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// False at the end of the stream.
bool take(int fd, std::string& into) {
  char bytes[16 << 10];
  const ssize_t count = ::read(fd, bytes, sizeof bytes);
  if (count > 0 && into.size() < kMostOutput) into.append(bytes, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Reads both streams to their ends; false: timeout.
bool listen_to(Pipe& out, Pipe& err, ChildEnd& end, Clock::time_point deadline) {
  while (out.from || err.from) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd looked[] = {{out.from.get(), POLLIN, 0}, {err.from.get(), POLLIN, 0}};
    if (left <= 0 || ::poll(looked, 2, static_cast<int>(left)) == 0) return false;
    if (looked[0].revents != 0 && !take(out.from.get(), end.out)) out.from.reset();
    if (looked[1].revents != 0 && !take(err.from.get(), end.err)) err.from.reset();
  }
  return true;
}

}  // namespace

Result<ChildEnd> run_child(const std::vector<std::string>& argv, const std::string& folder,
                           std::chrono::milliseconds patience) {
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe out, err;
  const auto pid = LUZIA_TRY(start(argv, folder, {nothing.get(), out.to.get(), err.to.get()}));
  out.to.reset();
  err.to.reset();
  ChildEnd end;
  const bool in_time = listen_to(out, err, end, Clock::now() + patience);
  if (!in_time) ::kill(pid, SIGKILL);
  end.code = wait_for(pid);
  if (!in_time) {
    return fail(ErrorKind::trouble, "child_slow",
                "running " + argv.front() + ": no answer in " + std::to_string(patience.count()) + " ms");
  }
  return end;
}

Result<int> run_on_our_terminal(const std::vector<std::string>& argv, const std::string& folder) {
  const auto pid = start(argv, folder, {});
  return pid ? Result<int>(wait_for(*pid)) : tl::unexpected(pid.error());
}

}  // namespace luzia
