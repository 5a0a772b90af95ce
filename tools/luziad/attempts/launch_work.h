// The blocking part of a launch: texts from the log, job directory, environment, luzia-run. Worker threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "engine/log/event_log.h"
#include "tools/luziad/attempts/prompts.h"

namespace luzia {

struct LaunchPlaces {
  std::string run_dir;
  std::string socket_path;
  std::uint64_t open_files = 0;       // the soft limit that attempts get
  std::optional<SpentAttempt> spent;  // its run files are used again
  std::string client_program = {};    // luzia; empty: there is none
  std::string credential = {};        // of the attempt; for its environment, and nothing that is written down
  PromptBuild build_prompt = {};      // of a job with a template
  std::string limits = {};            // that attempts get: raise_limits()
  /// Set where a prompt was built: what went into it.
  std::shared_ptr<schema::PromptBuiltT> prompt_record = {};
};

/// Idempotent: an attempt that is claimed already is only looked up. `places.spent` is used up in any case.
Result<Claim> prepare_and_launch(const Launcher& launcher, const EventLog& log, const JobState& job,
                                 const LaunchPlaces& places);

/// Whether a template stands around the task: one is named, the agent does not go on where it was, and the
/// task is not executed.
bool gets_template(const JobState& job);
/// Why none does, in words; empty: one does.
std::string why_task_alone(const JobState& job);

/// Where an attempt runs: the project's directory, or the worktree of the job's own.
std::string attempt_directory(const schema::JobSpecT& spec);

/// What luzia does with the project's files before the checks of an attempt, as the job's user: commands for
/// a shell. A worktree that cannot be made fails the attempt, a snapshot that cannot be taken does not.
std::vector<std::string> file_steps(const schema::JobSpecT& spec, const std::string& client_program);

/// The command line of an attempt: the agent's template, or the one that resumes its session, filled in.
Result<std::vector<std::string>> attempt_command(const JobState& job, const std::string& prompt);

/// The whole environment of an attempt: little of the daemon's own, the contract's variables, the profile's
/// and the dispatch's entries (`extra`: KEY=VALUE, each ended by NUL).
std::vector<std::string> attempt_environment(const JobState& job, std::string_view extra,
                                             const std::string& socket_path);

}  // namespace luzia
