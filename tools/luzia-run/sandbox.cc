#include "tools/luzia-run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

#include "tools/luzia-run/kernel_calls.h"
#include "tools/luzia-run/privileges.h"
#include "tools/luzia-run/sandbox_covers.h"
#include "tools/luzia-run/sandbox_mounts.h"
#include "tools/luzia-run/sandbox_view.h"
#include "tools/luzia-run/talk.h"

namespace luzia::run {
namespace {

// What luzia-run and its keeper say to each other besides kReady.
constexpr char kGo = 'g';       // luzia-run: the namespace is open; answered with kReady
constexpr char kOrphans = 'o';  // luzia-run: is there any? answered with kNone or kSome
constexpr char kNone = 'n', kSome = 's';
constexpr char kGuard = 'p';  // luzia-run: guard what is to be; answered with kReady or the problem

constexpr int kKeeperTalk = 3, kKeeperMounts = 4, kKeeperLog = 5;  // in the keeper

// What mounting takes, also in folders of a user that is not root.
constexpr std::uint32_t kMounting = (1U << CAP_SYS_ADMIN) | (1U << CAP_DAC_READ_SEARCH);

// Newer than Debian 12's headers (linux/landlock.h).
struct LandlockRuleset {
  std::uint64_t files, network, scoped;
};
constexpr std::uint64_t kScopeAbstractSockets = 1;
constexpr int kScopesSince = 6;

bool write_file(const char* path, const TextView& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool whole = ::write(file, text.c_str(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  ::close(file);
  errno = error;
  return whole;
}

// The kernel's key rings belong to no namespace, and the login session's may hold tickets and keys of disks.
// add_key, request_key and keyctl have consecutive numbers; `other`: those of 32-bit programs.
bool leave_keys() {
#if defined(__x86_64__)
  constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64, kFirst = 248, kOther = AUDIT_ARCH_I386,
                          kOtherFirst = 286;
#elif defined(__aarch64__)
  constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64, kFirst = 217, kOther = AUDIT_ARCH_ARM,
                          kOtherFirst = 309;
#else
  return true;  // tools/docs/sandbox.md says so
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::uint32_t kX32Bit = 0x40000000;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOther, 5, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~kX32Bit),
      BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, kFirst),
      BPF_STMT(BPF_JMP | BPF_JA, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, kOtherFirst),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#endif
}

// What is only read below a writable folder is a mount, and the kernel keeps a mount point from being removed
// only in mount namespaces that have it. With a user namespace an agent makes one that has not: it opens the
// folder, changes its root and lets go of the old one. Filters do not see the flags of clone3, so C libraries
// are told to use clone.
bool leave_user_namespaces() {
#if defined(__x86_64__)
  constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64, kClone = 56, kUnshare = 272;
  constexpr std::uint32_t kOther = AUDIT_ARCH_I386, kOtherClone = 120, kOtherUnshare = 310;
#elif defined(__aarch64__)
  constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64, kClone = 220, kUnshare = 97;
  constexpr std::uint32_t kOther = AUDIT_ARCH_ARM, kOtherClone = 120, kOtherUnshare = 337;
#else
  return true;  // tools/docs/sandbox.md says so
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::uint32_t kX32Bit = 0x40000000, kClone3 = 435;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~kX32Bit),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kClone, 8, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kUnshare, 7, 0),
      BPF_STMT(BPF_JMP | BPF_JA, 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOther, 0, 7),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOtherClone, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOtherUnshare, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kClone3, 4, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 2, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#endif
}

// Abstract sockets of others (X, D-Bus) are in no file system. Kernels before 6.12 cannot keep a process from
// them, but for a network namespace of its own.
bool leave_abstract_sockets() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (version < kScopesSince) return true;
  const LandlockRuleset wanted{0, 0, kScopeAbstractSockets};
  const long ruleset = ::syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0);
  if (ruleset < 0) return false;
  const bool held = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(static_cast<int>(ruleset));
  return held;
}

bool start_loopback() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  ifreq request{};
  ::memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP;
  const bool up = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  ::close(fd);
  return up;
}

void wake(int) {}

bool reap_orphans() {
  pid_t pid = 0;
  do {
    pid = ::waitpid(-1, nullptr, WNOHANG);
  } while (pid > 0);
  return pid == 0;  // some live
}

// Ends the attempt, with all that runs in the namespace, if what the agent may only read is lost.
void restore_or_end(const Covers& covers) {
  Text<1024> problem, line;
  if (covers.restore(problem)) return;
  make_line(problem.bytes());
  line.add("\nluzia: the sandbox ended the attempt: %s\n", problem.c_str());
  if (::write(kKeeperLog, line.c_str(), line.size()) < 0) errno = 0;
  ::_exit(1);
}

bool guard_paths(const Options& options, Covers& covers) {
  for (std::size_t i = 0; i < options.guarded.count; ++i) {
    const char* const path = options.guarded.paths[i];
    char real[PATH_MAX];
    if (!make_only_read(path) || ::realpath(path, real) == nullptr || !covers.add('r', real)) {
      Text<1024> problem;
      problem.add("sandbox_unavailable: cannot keep %.600s from changes: %s", path, ::strerror(errno));
      if (::send(kKeeperTalk, problem.c_str(), problem.size(), MSG_NOSIGNAL) < 0) errno = 0;
      return false;
    }
  }
  return say(kKeeperTalk, kReady);
}

// Whether luzia-run still listens.
bool reply_to_runner(const Options& options, Covers& covers, bool some_orphans) {
  char byte = '\0';
  if (!hear(kKeeperTalk, byte)) return false;
  return byte == kGuard ? guard_paths(options, covers) : say(kKeeperTalk, some_orphans ? kSome : kNone);
}

// Until luzia-run ends or closes its end. The kernel then kills all that is left in the namespace. It says
// when a mount is gone, but not when somebody has only moved what lies under it.
[[noreturn]] void keep(const Options& options, Covers& covers) {
  constexpr timespec kLook{1, 0};
  struct sigaction action {};
  action.sa_handler = wake;
  ::sigaction(SIGCHLD, &action, nullptr);
  sigset_t mask;
  ::sigfillset(&mask);
  ::sigdelset(&mask, SIGCHLD);
  for (;;) {
    pollfd waiting[] = {{kKeeperTalk, POLLIN, 0}, {kKeeperMounts, POLLPRI, 0}};
    const int ready = ::ppoll(waiting, covers.any() ? 2 : 1, covers.any() ? &kLook : nullptr, &mask);
    const bool some = reap_orphans();
    restore_or_end(covers);
    if (ready > 0 && waiting[0].revents != 0 && !reply_to_runner(options, covers, some)) ::_exit(0);
  }
}

// Leaves the keeper nothing but these, as kKeeperTalk and so on. False: one is missing.
bool keep_descriptors(int talk, int mounts, int log) {
  constexpr int kAbove = kKeeperLog + 1;
  bool good = true;
  int next = kKeeperTalk;
  for (const int fd :
       {::fcntl(talk, F_DUPFD, kAbove), ::fcntl(mounts, F_DUPFD, kAbove), ::fcntl(log, F_DUPFD, kAbove)})
    good = good && ::dup2(fd, next++) >= 0;
  kernel::close_range(0, kKeeperTalk - 1, 0);
  kernel::close_range(kAbove, ~0U, 0);
  return good;
}

// Descriptors of luzia-run lead outside, so none stays but that of the agent's own output. What the agent
// starts has the same user, and must not be able to trace this process either.
[[noreturn]] void be_keeper(const Options& options, int talk, int log) {
  Text<1024> problem;
  Covers covers;
  const bool alone = ::setsid() >= 0 && ::unshare(CLONE_NEWNS) == 0;
  if (!alone) problem.add("sandbox_unavailable: cannot make a mount namespace: %s", ::strerror(errno));
  bool made = alone && build_view(options, covers, problem);
  if (made && !options.network && !start_loopback()) {
    problem.add("sandbox_unavailable: cannot start its loopback network: %s", ::strerror(errno));
    made = false;
  }
  if (!made) {
    if (::send(talk, problem.c_str(), problem.size(), MSG_NOSIGNAL) < 0) errno = 0;
    ::_exit(1);
  }
  char go = '\0';
  if (!say(talk, kReady) || !hear(talk, go)) ::_exit(1);
  // Another view, to be guarded, for the agent and the checks after it; those before it have the first one.
  const bool guards = options.guarded.count > 0;
  if (guards && (::unshare(CLONE_NEWNS) != 0 || !say(talk, kReady) || !hear(talk, go))) ::_exit(1);
  if (!keep_descriptors(talk, ::open("/proc/self/mountinfo", O_RDONLY), log)) ::_exit(1);
  const bool safe = ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && drop_bounding_set() &&
                    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                    drop_capabilities(covers.any() || guards ? kMounting : 0);
  if (!safe || !say(kKeeperTalk, kReady)) ::_exit(1);
  keep(options, covers);
}

int open_mounts_of(pid_t pid) {
  Text<64> path;
  path.add("/proc/%d/ns/mnt", static_cast<int>(pid));
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

Sandbox::~Sandbox() {
  if (keeper_ <= 0) return;
  ::close(talk_);
  ::close(mounts_);
  if (guarded_mounts_ >= 0) ::close(guarded_mounts_);
}

// As root of our own user namespace we may map only ourselves, and groups that we have keep their effect.
bool Sandbox::fill_maps(const Options& options, TextView& problem) const {
  Text<64> users, groups, deny;
  users.add("%u %u 1\n", options.uid, options.uid);
  groups.add("%u %u 1\n", options.gid, options.gid);
  deny.add("deny");
  if (write_file("/proc/self/uid_map", users) && write_file("/proc/self/setgroups", deny) &&
      write_file("/proc/self/gid_map", groups)) {
    return true;
  }
  problem.add("sandbox_unavailable: cannot enter the user into its namespace: %s", ::strerror(errno));
  return false;
}

bool Sandbox::start_keeper(const Options& options, int log, TextView& problem) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    problem.add("sandbox_unavailable: cannot make a socket: %s", ::strerror(errno));
    return false;
  }
  talk_ = ends[0];
  keeper_ = ::fork();
  if (keeper_ == 0) {
    ::close(talk_);
    be_keeper(options, ends[1], log);
  }
  ::close(ends[1]);
  if (keeper_ < 0) {
    problem.add("sandbox_unavailable: cannot start a process: %s", ::strerror(errno));
    return false;
  }
  if (!hear_ready(talk_, "sandbox_unavailable: its first process ended", problem)) return false;
  char byte = '\0';
  mounts_ = open_mounts_of(keeper_);
  bool opened = mounts_ >= 0 && say(talk_, kGo) && hear(talk_, byte) && byte == kReady;
  if (opened && options.guarded.count > 0) {
    guarded_mounts_ = open_mounts_of(keeper_);
    opened = guarded_mounts_ >= 0 && say(talk_, kGo) && hear(talk_, byte) && byte == kReady;
  }
  if (!opened) problem.add("sandbox_unavailable: cannot open its mount namespace: %s", ::strerror(errno));
  return opened;
}

bool Sandbox::enter_namespaces(const Options& options, TextView& problem) const {
  const bool own_users = ::geteuid() != 0;
  const int wanted = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (own_users ? CLONE_NEWUSER : 0) |
                     (options.network ? 0 : CLONE_NEWNET);
  if (::unshare(wanted) != 0) {
    problem.add("sandbox_unavailable: cannot make namespaces: %s; %s, or set sandbox = \"off\"",
                ::strerror(errno),
                own_users ? "let users make user namespaces (sysctl user.max_user_namespaces, "
                            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)"
                          : "give the daemon CAP_SYS_ADMIN");
    return false;
  }
  return !own_users || fill_maps(options, problem);
}

bool Sandbox::open(const Options& options, int record, int log, TextView& problem) {
  if (!options.sandbox) return true;
  const bool made = proxy_.start(options, record, problem) && enter_namespaces(options, problem) &&
                    start_keeper(options, log, problem) && proxy_.serve(problem);
  if (!made) proxy_.end();  // which would be waited for as a process of the attempt
  return made;
}

bool Sandbox::guard(TextView& problem) {
  if (say(talk_, kGuard) && hear_ready(talk_, "sandbox_unavailable: its first process ended", problem)) {
    ::close(mounts_);
    mounts_ = guarded_mounts_;
    guarded_mounts_ = -1;
    return true;
  }
  if (problem.empty()) problem.add("sandbox_unavailable: its first process has ended");
  return false;
}

bool Sandbox::has_no_orphans() const {
  char answer = kNone;
  return !is_open() || !say(talk_, kOrphans) || !hear(talk_, answer) || answer == kNone;
}

bool Sandbox::enter() const {
  return !is_open() || (::setns(mounts_, CLONE_NEWNS) == 0 && drop_bounding_set() &&
                        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
}

bool Sandbox::seal() const {
  return !is_open() ||
         (drop_capabilities() && leave_keys() && leave_user_namespaces() && leave_abstract_sockets());
}

}  // namespace luzia::run
