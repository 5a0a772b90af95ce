// Starts attempts, finds them again after a restart, and signals them. Each attempt runs under its own
// luzia-run process, which outlives the daemon. tools/luzia-run/main.cc describes its side, run_record.h the
// files between the two. All functions block for a few system calls, so call them on a worker thread; calls
// share no state. The calling process must ignore SIGCHLD (as luziad does) or reap the luzia-run processes
// itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/job/job.h"

namespace luzia {

/// Everything luzia-run needs. All paths absolute.
struct LaunchSpec {
  std::string job;
  std::uint32_t attempt = 1;
  std::string run_dir;  // STORE/run: claims and exit records; the agent's user cannot write there
  std::string job_dir;  // must exist (see job_dir.h)
  std::string working_dir;
  std::vector<std::string> argv;
  std::vector<std::string> env;    // the whole environment, KEY=VALUE
  std::uint32_t uid = 0, gid = 0;  // of the agent; ours, unless the daemon is root
  bool stdin_prompt = true;        // JOB_DIR/prompt.txt, else /dev/null
  std::vector<std::string> preflight;
  std::uint64_t preflight_timeout_ms = 60'000;  // for each check
  std::vector<std::string> verify = {};         // checks after an agent that ended with exit code 0
  std::uint64_t verify_timeout_ms = 60'000;     // for each
  std::string boot_id;                          // current_boot_id()
  std::uint64_t open_files = 0;                 // the agent's soft limit on open files; 0: the daemon's
  std::string sandbox_network = {};             // of its sandbox: all, none; empty: no sandbox
  std::vector<std::string> hosts = {};          // that a sandbox without network reaches through luzia-proxy
  std::uint64_t private_bytes = 0;              // room of its private folders; 0: half of the memory
  std::vector<std::string> shown = {};          // what it sees there, as luzia-run's --show
  std::vector<std::string> guarded = {};        // what of that is only read from the agent's start on
  std::string cgroup = {};                      // LimitCgroups::prepare(); empty: none
  std::string limits = {};                      // its other limits, from raise_limits(); empty: the daemon's
  std::vector<std::string> secrets =
      {};  // more of the environment, NAME=VALUE, on no command line and in no file
};

/// Identifies a process uniquely: pids are reused, start times (clock ticks since boot) are not.
struct ProcessId {
  std::uint32_t pid = 0;
  std::uint64_t start = 0;
};

struct Claim {
  std::string boot_id;
  ProcessId runner;
  ProcessId agent;  // pid 0: not started (yet)
};

class Launcher {
 public:
  /// `runner_program`: path of luzia-run. `patience`: the longest that launch() waits.
  explicit Launcher(std::string runner_program,
                    std::chrono::milliseconds patience = std::chrono::seconds(10));

  /// Starts luzia-run and waits (a few ms, at most `patience`) until the agent runs or failed to start. If
  /// there are preflight checks, it waits only until luzia-run has claimed the attempt.
  ///
  /// Launching twice runs the agent once: if the attempt is claimed already, returns that claim and uses only
  /// job, attempt and run_dir of `spec`. A claim with an agent: the agent runs or did run. A claim without
  /// one: its exit record has a start_error, or the start is under way and the claim will name the agent
  /// later.
  ///
  /// Errors:
  ///
  /// - `launch_unconfirmed`: luzia-run reported nothing in time. Launch again later; the agent cannot run
  ///   twice. A luzia-run that was silent that long and claimed nothing is killed, so it starts nothing
  ///   later.
  /// - `out_of_resources`: nothing started, for lack of processes, descriptors, memory or disk space. It may
  ///   work later.
  /// - `launch_usage`, `launch_refused`, `launch_failed`, `runner_missing`, `runner_died`: nothing started,
  ///   and no exit record will follow.
  Result<Claim> launch(const LaunchSpec& spec) const;

 private:
  std::string runner_program_;
  std::chrono::milliseconds patience_;
};

/// UID:GID:GROUP,... for luzia-run's --user, with the account's groups as initgroups() would set them.
/// Queries the system's user database, which may take a while.
std::string runner_user(std::uint32_t uid, std::uint32_t gid);

/// The secrets that a living luzia-run was given; nullopt: it is gone, or has none.
std::optional<std::vector<std::string>> secrets_held_by(const ProcessId& runner);

std::string claim_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
std::string exit_record_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt);

/// nullopt: there is none (yet). `claim_unreadable`: the file is incomplete. `run_file_unreadable`, here and
/// below: reading failed at this moment (open files, memory, disk), so nothing is known.
Result<std::optional<Claim>> read_claim(const std::string& run_dir, const std::string& job,
                                        std::uint32_t attempt);
/// nullopt: not there yet. Sets output_bytes, rusage, exit code or signal, and start_error. A torn record or
/// one of another attempt is an error (`exit_record_unreadable`), never an exit.
Result<std::optional<schema::AttemptEndedT>> read_exit_record(const std::string& run_dir,
                                                              const std::string& job, std::uint32_t attempt);
/// The same once luzia-run is gone: also a record that it wrote but was killed before it renamed it, or whose
/// renaming a power loss has undone.
Result<std::optional<schema::AttemptEndedT>> read_left_record(const std::string& run_dir,
                                                              const std::string& job, std::uint32_t attempt);
/// Where the output of the checks of its work begins, whether they still run or not; nullopt: none began.
std::optional<std::uint64_t> read_checks_from(const std::string& run_dir, const std::string& job,
                                              std::uint32_t attempt);
std::optional<std::uint64_t> checks_from(const schema::AttemptEndedT& end);
struct ContactedHosts {
  std::vector<schema::HostUseT> hosts = {};  // in the order of their first contact
  std::uint64_t more = 0;                    // contacts with further hosts
};
/// What the attempt's proxy has counted so far; empty: it has none, or nothing can be read right now.
ContactedHosts read_hosts(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
/// Whether a live luzia-run holds this claim. False if there is no claim; true if that cannot be determined
/// right now.
bool is_claim_held(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
/// Checks, before a job directory is changed, that no attempt lives in it. Tests the lock on the directory's
/// own claim, whichever store its luzia-run belongs to. Succeeds if the directory or the claim does not
/// exist. Errors: `attempt_alive` (refused), `job_claim_unusable` (trouble): the file cannot be a claim of
/// that user.
Status check_no_attempt_lives(const std::string& job_dir, std::uint32_t uid);
/// JobDirSpec::moved_mark (job_dir.h) of this attempt.
std::string moved_mark_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
/// Removes claim, exit record, mark and files left for reuse. Call it once the end is in the log.
void remove_run_files(const std::string& run_dir, const std::string& job, std::uint32_t attempt);

/// An attempt whose end is in the log and whose luzia-run is gone, so its run files are no longer needed.
struct SpentAttempt {
  std::string job;
  std::uint32_t attempt = 0;
};
/// The attempt that a file in the run folder belongs to, by its name; nullopt: none.
std::optional<SpentAttempt> attempt_of_run_file(std::string_view name);
/// Gives a spent attempt's claim and exit record to the luzia-run of another attempt, about to start, for
/// reuse (run_record.h). Removes files that cannot be reused.
void reuse_run_files(const std::string& run_dir, const SpentAttempt& spent, const std::string& job,
                     std::uint32_t attempt);

/// Renames a damaged exit record to `<name>.damaged`, which nothing removes; returns the new path.
std::string set_aside_exit_record(const std::string& run_dir, const std::string& job, std::uint32_t attempt);

/// Start time of a live process; nullopt if there is no such process or it is a zombie.
std::optional<std::uint64_t> process_start_time(std::uint32_t pid);
/// Valid only within the boot that the ProcessId comes from.
bool is_alive(const ProcessId& process);
std::string current_boot_id();

/// Identifies an attempt's processes after their group leader is gone: LUZIA_JOB_ID and LUZIA_ATTEMPT in
/// their initial environment, and their user. The group's number alone proves nothing: once its last process
/// has ended, the number may be reused. An empty `job` matches no process.
struct AttemptMark {
  std::string job;
  std::uint32_t attempt = 0;
  std::uint32_t uid = 0;
};
/// If the agent is gone: finds a process in its group or session that carries the attempt's mark. nullopt:
/// none can be identified. A process that cleared its environment or belongs to another user cannot be.
/// `processes_unread`: this cannot be determined right now.
Result<std::optional<ProcessId>> find_survivor(const Claim& claim, const AttemptMark& mark);

enum class StopForce { polite, forced };
/// Stops an attempt. If luzia-run lives, signals it: on SIGTERM it passes TERM on to every descendant, on
/// SIGUSR1 it kills them all. Otherwise signals the agent, its session and all their descendants directly. If
/// the agent is gone too, signals the processes of its group and session that carry `mark`, and their
/// descendants. Never signals a reused pid. Succeeds if none of these exists any more.
Status stop_attempt(const Claim& claim, StopForce force, const AttemptMark& mark = {});
/// Sends SIGSTOP or SIGCONT to the agent's process group. If there is no agent, luzia-run pauses its checks;
/// if that is gone too, to the group's processes that carry `mark`, and their descendants.
Status pause_attempt(const Claim& claim, bool stop, const AttemptMark& mark = {});
/// Kills what checks left running if luzia-run was killed before it started the agent, or when the agent was
/// gone: every process of `uid` with this attempt in its environment (LUZIA_JOB_ID, LUZIA_ATTEMPT), and their
/// descendants. Call it only then: it would kill the agent, too.
void kill_left_by_checks(const std::string& job, std::uint32_t attempt, std::uint32_t uid);

}  // namespace luzia
