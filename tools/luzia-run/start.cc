#include "tools/luzia-run/start.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"
#include "tools/luzia-run/cgroup.h"
#include "tools/luzia-run/kernel_calls.h"

namespace luzia::run {
namespace {

enum class Step { none, session, claim, cgroup, sandbox, user, parent, directory, descriptors, exec };

// The child writes it and the parent, suspended meanwhile, reads it: vfork shares the memory.
struct Outcome {
  const pid_t parent = ::getpid();
  volatile Step failed = Step::none;
  volatile int error = 0;
  volatile unsigned long long start = 0;
};

// Of this process as luzia-run numbers it; in a sandbox, getpid() counts anew.
pid_t own_pid() {
  char text[16] = "";
  const ssize_t size = ::readlink("/proc/self", text, sizeof text - 1);
  return size > 0 ? static_cast<pid_t>(::strtol(text, nullptr, 10)) : ::getpid();
}

bool enter_claim(const RunFiles& claim, Outcome& outcome) {
  ProcessStat self;
  if (!read_process(own_pid(), self)) return false;
  outcome.start = self.start;
  return claim.record_agent(static_cast<unsigned>(self.pid), self.start);
}

// For a check, which is useless without luzia-run, unlike an agent. Call it after the change of user, which
// resets it.
bool die_with_parent(const Start& what, const Outcome& outcome) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return false;
  if (what.sandbox.is_open()) return true;  // which ends with luzia-run
  errno = ECHILD;
  return ::getppid() == outcome.parent;  // else the parent ended before this took effect
}

// If the machine runs out of memory, the kernel is to take the agent before the daemon, luzia-run and what
// people use. A child begins with our score; in a sandbox it may not change its own. Only upwards. Below it
// only root can go, so no user of root's daemon can.
class RaisedOomScore {
 public:
  RaisedOomScore() : file_(::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC)) {
    constexpr long kOfAgents = 500;  // proc(5): oom_score_adj, -1000 to 1000
    raised_ = file_ >= 0 && ::read(file_, before_, sizeof before_ - 1) > 0 &&
              ::strtol(before_, nullptr, 10) < kOfAgents && ::pwrite(file_, "500", 3, 0) == 3;
  }
  ~RaisedOomScore() {
    if (raised_ && ::pwrite(file_, before_, ::strlen(before_), 0) < 0) errno = 0;
    if (file_ >= 0) ::close(file_);
  }
  RaisedOomScore(const RaisedOomScore&) = delete;
  RaisedOomScore& operator=(const RaisedOomScore&) = delete;

 private:
  int file_;
  char before_[16] = {};
  bool raised_ = false;
};

// A child in vfork shares our memory, and what runs in its sandbox already, of the same user, sees it there.
// Later a daemon must be able to read our descriptors, so this is not for ever.
class Untraceable {
 public:
  explicit Untraceable(const Sandbox& sandbox)
      : ends_(sandbox.is_open() && ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1 &&
              ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) {}
  ~Untraceable() {
    if (ends_) ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  }
  Untraceable(const Untraceable&) = delete;
  Untraceable& operator=(const Untraceable&) = delete;

 private:
  bool ends_;
};

// None is higher than ours, so each can be set.
void take_limits(const Options& options) {
  for (std::size_t i = 0; i < options.limit_count; ++i) {
    const Limit& limit = options.limits[i];
    kernel::set_limit(limit.resource, limit.soft, limit.hard);
  }
}

Step prepare(const Options& options, const Start& what, Outcome& outcome) {
  if (::setsid() < 0) return Step::session;
  if (what.claim != nullptr && !enter_claim(*what.claim, outcome)) return Step::claim;
  if (options.cgroup != nullptr && !enter_cgroup(options.cgroup)) return Step::cgroup;
  if (!what.sandbox.enter()) return Step::sandbox;
  if (!become_user(options)) return Step::user;
  if (!what.sandbox.seal()) return Step::sandbox;
  if (what.claim == nullptr && !die_with_parent(what, outcome)) return Step::parent;
  if (::chdir(options.working_dir) != 0) return Step::directory;
  const int errors = what.errors < 0 ? what.output : what.errors;
  if (::dup2(what.input, 0) < 0 || ::dup2(what.output, 1) < 0 || ::dup2(errors, 2) < 0) {
    return Step::descriptors;
  }
  ::umask(022);
  take_limits(options);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  return Step::none;
}

// A separate function that makes only safe calls, because it runs on the parent's stack.
[[noreturn]] __attribute__((noinline)) void run_child(const Options& options, const Start& what,
                                                      Outcome& outcome) {
  const Step failed = prepare(options, what, outcome);
  if (failed == Step::none) {
    kernel::execute(what.command);  // `environ` is the agent's environment
  }
  outcome.error = errno;
  outcome.failed = failed == Step::none ? Step::exec : failed;
  ::_exit(127);
}

void explain(const Options& options, const Start& what, Step failed, int error, TextView& problem) {
  const char* reason = ::strerror(error);
  switch (failed) {
    case Step::none:
      return;
    case Step::session:
      return problem.add("cannot start a session: %s", reason);
    case Step::claim:
      return problem.add("cannot write the claim: %s", reason);
    case Step::sandbox:
      return problem.add("sandbox_unavailable: cannot enter it: %s", reason);
    case Step::cgroup:
      return problem.add("cannot enter the cgroup '%s', which holds its limits: %s", options.cgroup, reason);
    case Step::user:
      return problem.add("cannot become user %u: %s", options.uid, reason);
    case Step::parent:
      return problem.add("cannot be tied to luzia-run: %s", reason);
    case Step::directory:
      return problem.add("cannot enter '%s': %s; make it so that the job's user may enter it",
                         options.working_dir, reason);
    case Step::descriptors:
      return problem.add("cannot connect input and output: %s", reason);
    case Step::exec:
      return problem.add("cannot run '%s': %s; %s", what.command[0], reason, what.remedy);
  }
}

}  // namespace

bool become_user(const Options& options) {
  return !options.switch_user || (::setgroups(options.group_count, options.groups) == 0 &&
                                  ::setresgid(options.gid, options.gid, options.gid) == 0 &&
                                  ::setresuid(options.uid, options.uid, options.uid) == 0);
}

Started start_child(const Options& options, const Start& what, TextView& problem) {
  environ = options.environment;
  Outcome outcome;
  const RaisedOomScore kernel_takes_it_first;
  const Untraceable meanwhile(what.sandbox);
  // vfork, so that the agent's process can enter itself into the claim, and a failed exec needs no pipe to
  // report it. fork would add page tables and two handshakes to every job. After the change of user, that
  // user cannot trace the child: the kernel marks the shared memory undumpable.
  const pid_t pid = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): see above
  if (pid == 0) run_child(options, what, outcome);
  if (pid < 0) {
    problem.add("cannot start a process: %s", ::strerror(errno));
    return {};
  }
  if (outcome.failed == Step::none) return {.pid = pid, .start = outcome.start};
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (what.claim != nullptr) what.claim->record_agent(0, 0);
  explain(options, what, outcome.failed, outcome.error, problem);
  return {.program_missing = outcome.failed == Step::exec && outcome.error == ENOENT};
}

void limit_open_files(const Options& options) {
  rlimit limit{};
  if (options.open_files == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = options.open_files < limit.rlim_max ? options.open_files : limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace luzia::run
