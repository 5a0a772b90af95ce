// The blocking part of a launch: reads texts from the log, prepares job directory and environment, starts
// luzia-run. Worker threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "adapters/launcher/limit_cgroups.h"
#include "engine/log/event_log.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/attempts/sandbox_rules.h"
#include "tools/luziad/secrets/secret_book.h"

namespace luzia {

struct LaunchPlaces {
  std::string run_dir;
  std::string socket_path;
  std::uint64_t open_files = 0;       // soft limit for attempts
  std::optional<SpentAttempt> spent;  // its run files are reused
  std::string client_program = {};    // path of luzia; empty: not found
  std::string credential = {};        // of the attempt; passed in its environment and never stored
  PromptBuild build_prompt = {};      // for a job with a template
  std::string limits = {};            // for attempts: raise_limits()
  bool line_buffered = false;         // [agents.NAME] line_buffered
  SandboxPlaces sandbox = {};         // for a job with a sandbox
  std::shared_ptr<const LimitCgroups> cgroups = {};  // null: the kernel holds no limits
  Hash env_key = {};                                 // with which environments of dispatches are sealed
  SecretBook* secrets = nullptr;                     // reads those of the job; outlives the work
  /// Set if a prompt was built: what went into it.
  std::shared_ptr<schema::PromptBuiltT> prompt_record = {};
};

/// Idempotent: an attempt that is claimed already is only looked up. Uses up `places.spent` in any case.
Result<Claim> prepare_and_launch(const Launcher& launcher, const EventLog& log, const JobState& job,
                                 const LaunchPlaces& places);

/// Whether a template surrounds the task: one is named, the agent does not resume a session, and the task is
/// not executed.
bool gets_template(const JobState& job);
/// Why the task is used without a template, in words; empty: there is a template.
std::string why_task_alone(const JobState& job);

/// Whether the job's command executes its task as code, so that nothing that is told to it has an effect.
bool executes_task(const schema::JobSpecT& spec);

/// Whether the job's agent would read a message of so many bytes. `what`, for the error message: "tell job ID
/// anything". `no_messages` (refused), `message_too_long` (usage).
Status takes_message(const JobState& job, std::size_t bytes, const std::string& what);

/// What the prompt says about the job's own gates; empty: it has none, goes on in its session, or its task is
/// executed as code.
std::string gates_text(const JobState& job);

/// The directory of an attempt: the project's, or the job's own worktree.
std::string attempt_directory(const schema::JobSpecT& spec);

/// Shell commands that prepare the project's files before an attempt's checks, run as the job's user. The
/// attempt fails if its worktree cannot be made, but not if a snapshot cannot be taken.
std::vector<std::string> file_steps(const schema::JobSpecT& spec, const std::string& client_program);

/// The command line of an attempt, filled in: the agent's template, or the one that resumes its session.
/// `client_program`: what {luzia} stands for.
Result<std::vector<std::string>> attempt_command(const JobState& job, const std::string& prompt,
                                                 const std::string& client_program = "luzia");

/// The environment of a dispatch as it was given. `environment_sealed` (trouble): it was sealed with another
/// store's key.
Result<std::string> dispatch_environment(const std::string& job, std::string stored, const Hash& key);

/// The whole environment of an attempt but for its secrets: a few of the daemon's variables, the contract's,
/// the profile's, and the dispatch's (`extra`: KEY=VALUE, each terminated by NUL).
std::vector<std::string> attempt_environment(const JobState& job, std::string_view extra,
                                             const std::string& socket_path);

}  // namespace luzia
