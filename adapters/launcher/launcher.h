// Starts, finds again and signals attempts. Each attempt runs under its own luzia-run process, which outlives
// the daemon: tools/luzia-run/main.cc tells its side, run_record.h the files between the two. Everything here
// blocks for a few system calls and belongs on a worker thread; nothing is shared between calls. The calling
// process must ignore SIGCHLD (as luziad does) or collect the luzia-run processes itself.
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
  std::string run_dir;  // STORE/run: claims and exit records, not writable by the agent's user
  std::string job_dir;  // exists (see job_dir.h)
  std::string working_dir;
  std::vector<std::string> argv;
  std::vector<std::string> env;    // the whole environment, KEY=VALUE
  std::uint32_t uid = 0, gid = 0;  // of the agent; must be ours unless the daemon is root
  bool stdin_prompt = true;        // JOB_DIR/prompt.txt, else /dev/null
  std::vector<std::string> preflight;
  std::uint64_t preflight_timeout_ms = 60'000;  // for each check
  std::string boot_id;                          // current_boot_id()
  std::uint64_t open_files = 0;                 // the agent's soft limit on open files; 0: as the daemon's
  std::string limits = {};  // others that it gets, as of raise_limits(); else the daemon's
};

/// A process that cannot be mistaken: pids are reused, start times (clock ticks since boot) are not.
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
  /// `runner_program`: path of luzia-run. `patience`: how long launch() waits at most.
  explicit Launcher(std::string runner_program,
                    std::chrono::milliseconds patience = std::chrono::seconds(10));

  /// Starts luzia-run and waits (a few ms, at most 10 s) until the agent runs or could not be started or,
  /// where there are preflight checks, until the attempt is claimed. If it is claimed already, returns what
  /// the claim says, and needs no more of `spec` than job, attempt and run_dir: launching twice runs once. A
  /// claim with an agent: it runs, or did. A claim without one: its exit record has a start_error, or the
  /// start is still under way and the claim will name the agent later. Errors: `launch_unconfirmed` = nothing
  /// was heard in that time, launch again later; it cannot run twice. A luzia-run that is silent for that
  /// long and has claimed nothing is killed: it begins nothing later. With any other code (`launch_usage`,
  /// `launch_refused`, `launch_failed`, `out_of_resources`, `runner_missing`, `runner_died`) nothing was
  /// started and no exit record will come; without processes, descriptors, memory or room
  /// (`out_of_resources`) it may work later.
  Result<Claim> launch(const LaunchSpec& spec) const;

 private:
  std::string runner_program_;
  std::chrono::milliseconds patience_;
};

/// UID:GID:GROUP,..., as luzia-run's --user takes it: with the groups of the account, as initgroups would set
/// them. Asks the system's user database, which may take a while.
std::string runner_user(std::uint32_t uid, std::uint32_t gid);

std::string claim_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
std::string exit_record_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt);

/// nullopt: there is none (yet). One that is not whole is an error (`claim_unreadable`). Error
/// `run_file_unreadable`, here and below: the system would not let us read just now (open files, memory,
/// disk); nothing is known.
Result<std::optional<Claim>> read_claim(const std::string& run_dir, const std::string& job,
                                        std::uint32_t attempt);
/// nullopt: not there yet. output_bytes, rusage, exit code or signal, start_error are filled in. A
/// torn or foreign one is an error (`exit_record_unreadable`), never an end.
Result<std::optional<schema::AttemptEndedT>> read_exit_record(const std::string& run_dir,
                                                              const std::string& job, std::uint32_t attempt);
/// Whether a luzia-run lives that holds this claim. False when there is no claim; true when that cannot be
/// told just now.
bool is_claim_held(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
/// Asked before anything is changed in a job directory: whether no attempt lives there, by the claim that its
/// luzia-run holds in it, whichever store it belongs to. A directory or claim that is not there has none.
/// Errors: `attempt_alive` (refused), `job_claim_unusable` (trouble): what is there can be no claim of that
/// user.
Status check_no_attempt_lives(const std::string& job_dir, std::uint32_t uid);
/// JobDirSpec::moved_mark (job_dir.h) of this attempt.
std::string moved_mark_path(const std::string& run_dir, const std::string& job, std::uint32_t attempt);
/// Removes claim, exit record, mark and what was left for the attempt to reuse once the end is in the log.
void remove_run_files(const std::string& run_dir, const std::string& job, std::uint32_t attempt);

/// An attempt whose end is in the log and whose luzia-run is gone: nobody needs its run files any more.
struct SpentAttempt {
  std::string job;
  std::uint32_t attempt = 0;
};
/// Whose file this is in the run folder, by its name; nothing: of no attempt.
std::optional<SpentAttempt> attempt_of_run_file(std::string_view name);
/// Gives its claim and exit record to the luzia-run of another attempt, which is about to be started
/// (run_record.h). What is not fit for that is removed.
void reuse_run_files(const std::string& run_dir, const SpentAttempt& spent, const std::string& job,
                     std::uint32_t attempt);

/// Moves a damaged exit record to `<its name>.damaged`, where nothing removes it; returns that path.
std::string set_aside_exit_record(const std::string& run_dir, const std::string& job, std::uint32_t attempt);

/// Start time of a live process; nullopt when there is no such process or it is a zombie.
std::optional<std::uint64_t> process_start_time(std::uint32_t pid);
/// Only meaningful within the boot that the ProcessId comes from.
bool is_alive(const ProcessId& process);
std::string current_boot_id();

/// What the processes of an attempt can be told by when the leader of their group is gone: LUZIA_JOB_ID and
/// LUZIA_ATTEMPT in the environment that they were started with, and whose they are. Its number alone proves
/// nothing of a group: when the last of it has ended, it may be given anew. An empty `job`: by nothing.
struct AttemptMark {
  std::string job;
  std::uint32_t attempt = 0;
  std::uint32_t uid = 0;
};
/// With the agent gone: a process of its group or session that is the attempt's by its mark. nullopt: there
/// is none that can be told to be; one that has cleared its environment, or belongs to another user, cannot.
/// Error `processes_unread`: that cannot be told just now.
Result<std::optional<ProcessId>> find_survivor(const Claim& claim, const AttemptMark& mark);

enum class StopForce { polite, forced };
/// Through luzia-run where it lives (SIGTERM: it passes TERM on to every descendant; SIGUSR1: it kills them
/// all), else directly to the agent, its session and every descendant of these still found; without the agent
/// to those of its group and session that carry `mark`, and what descends from these. Never signals a reused
/// pid: when nothing of these is there any more, nothing is signalled and all is well.
Status stop_attempt(const Claim& claim, StopForce force, const AttemptMark& mark = {});
/// SIGSTOP / SIGCONT to the agent's process group; without the agent to those of it that carry `mark`, and
/// what descends from these.
Status pause_attempt(const Claim& claim, bool stop, const AttemptMark& mark = {});
/// Kills what preflight checks have left behind whose luzia-run was killed before it started the agent: every
/// process of `uid` with this attempt in its environment (LUZIA_JOB_ID, LUZIA_ATTEMPT), and what descends
/// from these. Only then: later it would be the agent's.
void kill_left_by_checks(const std::string& job, std::uint32_t attempt, std::uint32_t uid);

}  // namespace luzia
