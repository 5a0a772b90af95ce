// Finds which processes of an attempt are alive, and signals them. A pid alone is never enough: start time
// and boot id identify it, and process_table.h signals through a pidfd.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "adapters/launcher/launcher.h"
#include "adapters/launcher/process_table.h"
#include "adapters/launcher/run_record.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

pid_t as_pid(const ProcessId& process) {
  return static_cast<pid_t>(process.pid);
}

tl::unexpected<Error> cannot_signal(int error, const char* what, const ProcessId& process) {
  return fail_errno(error, "cannot_signal",
                    std::string("cannot signal ") + what + " (pid " + std::to_string(process.pid) + ")",
                    "the process belongs to another user, or the system forbids it");
}

constexpr pid_t kOfSelected = -1;  // no process has this parent; 0 is the first process's parent
constexpr int kMaxSweeps = 20;     // processes may be born or change parents during a scan

// A process's initial environment; empty if it is not ours or `uid`'s to read. nullopt: out of descriptors or
// memory.
std::optional<std::string> environment_of(pid_t pid, std::uint32_t uid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/environ";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) return std::nullopt;
  struct stat status;
  std::string text;
  if (file && ::fstat(file.get(), &status) == 0 && status.st_uid == uid) {
    char bytes[4096];
    for (ssize_t size = 0; (size = ::read(file.get(), bytes, sizeof bytes)) > 0;) {
      text.append(bytes, static_cast<std::size_t>(size));
    }
  }
  return text;
}

// Whether the process carries the mark; nullopt as above.
std::optional<bool> carries(pid_t pid, const AttemptMark& mark) {
  if (mark.job.empty()) return false;
  const auto read = environment_of(pid, mark.uid);
  if (!read) return std::nullopt;
  const std::string environment = '\0' + *read;
  return environment.find('\0' + ("LUZIA_JOB_ID=" + mark.job) + '\0') != std::string::npos &&
         environment.find('\0' + ("LUZIA_ATTEMPT=" + std::to_string(mark.attempt)) + '\0') !=
             std::string::npos;
}

bool is_of_group(const ProcessStat& stat, pid_t leader) {
  return stat.session == leader || stat.group == leader;
}

// Selects what is left of the group and session of an agent that is gone. While any of it lives, their number
// is not reused; the mark shows whether it is still the same group. False: some could not be determined.
bool select_survivors(ProcessTable& table, const ProcessId& agent, const AttemptMark& mark) {
  bool all_told = true;
  for (ProcessTable::Entry& entry : table) {
    if (!is_of_group(entry.stat, as_pid(agent)) || entry.stat.start < agent.start) continue;
    const auto marked = carries(entry.stat.pid, mark);
    entry.selected = marked.value_or(false);
    all_told = all_told && marked;
  }
  table.select_descendants(kOfSelected);
  return all_told;
}

// Selects the agent, everything in its session or group, and their descendants. If luzia-run is gone, a
// process that left the session and lost its own parent looks like any other process, so it is left alone.
// Session and group numbers identify the agent's processes only while the agent exists, if only as a zombie.
// False: some could not be determined.
bool select_family(ProcessTable& table, const ProcessId& agent, const AttemptMark& mark) {
  const pid_t leader = as_pid(agent);
  if (leader <= 1) return true;
  const ProcessTable::Entry* found = table.find(leader);
  if (found == nullptr) return select_survivors(table, agent, mark);
  if (found->stat.start != agent.start) return true;  // pid reused, so no group with that number is ours
  for (ProcessTable::Entry& entry : table) {
    entry.selected = entry.stat.pid == leader || is_of_group(entry.stat, leader);
  }
  table.select_descendants(leader);
  return true;
}

using Seen = std::set<std::pair<pid_t, std::uint64_t>>;

// One sweep over the family; false if it found no new process to signal.
bool signal_family_once(const ProcessId& agent, const AttemptMark& mark, int signal, Seen& seen) {
  ProcessTable table;
  table.scan();
  select_family(table, agent, mark);
  bool found_new = false;
  // The agent last: processes without a mark can be identified only while it lives.
  for (const bool leader : {false, true}) {
    for (const ProcessTable::Entry& entry : table) {
      const ProcessStat& stat = entry.stat;
      if (!entry.selected || stat.ended() || (stat.pid == as_pid(agent)) != leader) continue;
      if (!seen.emplace(stat.pid, stat.start).second) continue;
      if (leader && found_new && signal == SIGKILL) {
        seen.erase({stat.pid, stat.start});
        return true;  // scan again for children born meanwhile
      }
      found_new = true;
      signal_process(stat.pid, stat.start, signal);
      if (signal == SIGTERM) signal_process(stat.pid, stat.start, SIGCONT);
    }
  }
  return found_new;
}

void signal_family(const ProcessId& agent, const AttemptMark& mark, int signal) {
  Seen seen;
  for (int sweep = 0; sweep < kMaxSweeps && signal_family_once(agent, mark, signal, seen); ++sweep) {
  }
}

Status stop_directly(const ProcessId& agent, StopForce force, const AttemptMark& mark) {
  if (is_alive(agent)) {
    const int error = signal_process(as_pid(agent), agent.start, 0);
    if (error == EPERM) return cannot_signal(error, "the agent", agent);
  }
  signal_family(agent, mark, force == StopForce::polite ? SIGTERM : SIGKILL);
  if (force == StopForce::forced) signal_process(as_pid(agent), agent.start, SIGKILL);
  return {};
}

}  // namespace

std::optional<std::uint64_t> process_start_time(std::uint32_t pid) {
  ProcessStat stat;
  if (pid == 0 || !read_process(static_cast<pid_t>(pid), stat) || stat.ended()) return std::nullopt;
  return stat.start;
}

bool is_alive(const ProcessId& process) {
  return process.pid != 0 && process_start_time(process.pid) == process.start;
}

std::string current_boot_id() {
  const Descriptor file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  return read_up_to(file.get(), run_record::kBootIdSize).value_or(std::string());
}

Result<std::optional<ProcessId>> find_survivor(const Claim& claim, const AttemptMark& mark) {
  if (claim.boot_id != current_boot_id()) return std::nullopt;
  ProcessTable table;
  const bool whole = table.scan();
  const bool all_told = select_family(table, claim.agent, mark);
  for (const ProcessTable::Entry& entry : table) {
    const ProcessStat& stat = entry.stat;
    if (entry.selected && !stat.ended()) return ProcessId{static_cast<std::uint32_t>(stat.pid), stat.start};
  }
  if (whole && all_told) return std::nullopt;
  return fail(ErrorKind::trouble, "processes_unread",
              "cannot tell what is left of attempt " + std::to_string(mark.attempt) +
                  ": /proc cannot be read just now",
              "see the limits on open files and memory (ulimit -n, free)");
}

Status stop_attempt(const Claim& claim, StopForce force, const AttemptMark& mark) {
  if (claim.boot_id != current_boot_id()) return {};
  if (claim.runner.pid != 0) {
    const int signal = force == StopForce::polite ? SIGTERM : SIGUSR1;
    const int error = signal_process(as_pid(claim.runner), claim.runner.start, signal);
    // It may be stopped, and must run to pass the signal on.
    if (error == 0) signal_process(as_pid(claim.runner), claim.runner.start, SIGCONT);
    if (error == 0) return {};
    if (error != ESRCH) return cannot_signal(error, "luzia-run", claim.runner);
  }
  return stop_directly(claim.agent, force, mark);
}

void kill_left_by_checks(const std::string& job, std::uint32_t attempt, std::uint32_t uid) {
  const AttemptMark mark{job, attempt, uid};
  Seen seen;
  bool found_new = true;
  for (int sweep = 0; sweep < kMaxSweeps && std::exchange(found_new, false); ++sweep) {
    ProcessTable table;
    table.scan();
    for (ProcessTable::Entry& entry : table) entry.selected = carries(entry.stat.pid, mark).value_or(false);
    table.select_descendants(kOfSelected);
    for (const ProcessTable::Entry& entry : table) {
      if (!entry.selected || entry.stat.ended() || entry.stat.pid == ::getpid()) continue;
      if (!seen.emplace(entry.stat.pid, entry.stat.start).second) continue;
      found_new = true;
      signal_process(entry.stat.pid, entry.stat.start, SIGKILL);
    }
  }
}

Status pause_attempt(const Claim& claim, bool stop, const AttemptMark& mark) {
  if (claim.boot_id != current_boot_id()) return {};
  const int signal = stop ? SIGSTOP : SIGCONT;
  const int error = signal_group(as_pid(claim.agent), claim.agent.start, signal);
  // Without an agent, luzia-run is at its checks, and pauses them itself.
  const int for_checks = stop ? SIGTSTP : SIGCONT;
  const bool has_checks =
      error == ESRCH && signal_process(as_pid(claim.runner), claim.runner.start, for_checks) == 0;
  if (error == ESRCH && !has_checks) signal_family(claim.agent, mark, signal);
  if (error != 0 && error != ESRCH) return cannot_signal(error, "the agent's process group", claim.agent);
  return {};
}

}  // namespace luzia
