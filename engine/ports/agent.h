// Port: coding agents. What Luzia knows of each apart from its output format: how to start and resume it, how
// to register Luzia in its settings, what it does differently. adapters/agents implements it, one folder per
// agent. No other code names an agent. Plain constant values, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "job.fb.h"

namespace luzia {

/// What an agent may do without asking anybody, from the narrowest to the widest: read only; ask a person
/// about each change, or leave it where nobody can be asked; edit files; everything.
enum class Permissions : std::uint8_t { plan, ask, edits, bypass };
constexpr Permissions kDefaultPermissions = Permissions::edits;
const std::vector<std::string>& permission_words();  // in that order
/// nullopt for anything that is not one of the words; their case does not matter.
std::optional<Permissions> parse_permissions(std::string_view word);

/// A word of its own in a command: the agent's options for the job's permissions replace it.
constexpr std::string_view kPermissionsPlace = "{permissions}";

/// How jobs are confined: keys of [jobs], [agents.NAME] and [projects.NAME]. Empty words inherit; paths add
/// up.
struct SandboxConfig {
  std::string kind;                            // off, project, strict
  std::string when = {};                       // always; unattended: not for whoever dispatches at a terminal
  std::string network;                         // all, none; hosts: only `hosts`
  std::vector<std::string> hosts = {};         // as parse_host_rule() reads them
  std::vector<std::string> write, read, hide;  // absolute, or below the home of the job's user: ~/...
};
/// Where a secret comes from; see SecretSource in job.fbs. A file is an absolute path, or begins with ~/ for
/// the home of the job's user.
struct SecretPlace {
  schema::SecretKind kind = schema::SecretKind::file;
  std::vector<std::string> source;
};
/// By the variable that gets the value.
using SecretPlaces = std::map<std::string, SecretPlace>;

/// How an agent runs; the keys of [agents.NAME].
struct AgentProfile {
  std::vector<std::string> command;  // with kPermissionsPlace
  bool stdin_prompt = true;          // stdin = "prompt" | "null"
  std::string output = "text";
  std::string permissions;               // one of permission_words(); empty: kDefaultPermissions
  std::vector<std::string> pass_env;     // variables of the daemon that its jobs inherit, by name
  std::vector<std::string> resume;       // empty: the agent cannot continue a session
  std::vector<std::string> interactive;  // in a terminal, with the task as an argument; empty: `command`
  std::map<std::string, std::string> env;
  SecretPlaces secrets;
  // Written as completed, retriable, failed, needs_clarification.
  std::map<int, schema::ExitMeaning> exit_codes;
  std::uint32_t max_running = 0;    // 0: [queue] max_per_agent
  std::uint32_t limit_resumes = 0;  // automatic resumes after usage limits; 0: a person resumes
  std::uint64_t login_wait_ms =
      12 * 3'600'000;                  // its jobs wait when its login is refused; 0: they fail at once
  std::vector<std::string> fallback;   // agents that its jobs go on with while it cannot, in this order
  std::uint64_t start_spacing_ms = 0;  // between two starts; 0: none
  // Its quick failures count for the breaker; see [retry] breaker_failures.
  bool breaker = true;
  bool line_buffered = true;            // its programs write their output line by line
  std::map<std::string, double> costs;  // USD per million tokens: input, output, cache_read, cache_write
  std::string when_silent;
  SandboxConfig sandbox;
  schema::AttemptLimitsT limits;  // of each attempt; 0: those of [jobs]
};

/// An edit of one settings file that belongs to the user: registers Luzia, or removes it (`undo`).
struct SettingsEdit {
  std::string file, text;  // path, for messages, and content; empty content: no file
  std::string program;     // how the agent calls luzia: a name or a path
  bool undo = false;
  /// Whether a TOML text has a table `table.name`; `config_syntax` (usage).
  Result<bool> (*has_toml_table)(const SettingsEdit& edit, std::string_view table,
                                 std::string_view name) = nullptr;
};

struct SettingsFile {
  const char* path;  // below the project's folder; with `luzia init --user`, below the home
  /// The new text, with every other byte unchanged; empty: delete the file. `bad_settings` (usage).
  Result<std::string> (*edit)(const SettingsEdit& edit);
  const char* user_path = nullptr;  // below the home, if it is not `path`
};

/// What gives an agent its permissions: words of its command, with placeholders, and variables.
struct PermissionOptions {
  std::vector<std::string> words;
  std::map<std::string, std::string> env;
  bool only_reads = false;  // they hold nothing: our sandbox lets it change only its state and job directory
};

/// A tool that an agent brings along. `about` has the words of tasks for which it is good.
struct AgentTool {
  std::string_view name, category, about;
};

struct Agent {
  std::string_view name;   // --agent NAME
  std::string_view title;  // "Claude Code"
  AgentProfile profile;
  std::map<Permissions, PermissionOptions> permissions;  // all four
  /// Instead of those, in a sandbox of ours: the agent's own would not work inside, or hold nothing more.
  /// Ours must then hold what they stood for (PermissionOptions::only_reads).
  std::map<Permissions, PermissionOptions> sandboxed_permissions;
  /// Paths below the home, in a sandbox: what it must be able to write, and what of that it may only read,
  /// because it decides what a later agent outside executes. Both are made if they are missing: of `state`
  /// the first, a folder; of `state_to_read` folders, whose names end with '/', and empty settings.
  std::vector<const char*> state, state_to_read;
  /// Folders below the home that it changes only by the way: what it adds there is gone with the attempt.
  std::vector<const char*> state_to_forget;
  std::vector<std::string> resume_words;  // what resumes a session, added to any command
  /// Signs of a login: environment variables, and files below the home. One of them is enough.
  std::vector<const char*> login_variables, login_files;
  std::string_view login_help;               // "run codex login, or set CODEX_API_KEY": how a person logs in
  std::vector<std::string> login_check;      // words behind the program; exit code 0: logged in, 1: not
  std::vector<const char*> other_variables;  // that it reads too: where its service is, which model

  std::vector<SettingsFile> settings;       // files that `luzia init` changes
  const char* user_settings_variable = "";  // environment variable that moves the user's settings
  bool variable_names_own_folder = false;   // the variable names the folder of `path` itself, not its parent
  bool has_user_settings = false;           // Luzia can be registered for all projects of the user
  std::string_view advice;                  // what `luzia init` prints beside the files

  std::vector<AgentTool> tools;                  // built in, those worth recommending
  std::vector<std::string_view> changing_tools;  // in lower case: tools that change the files they name
  // A session whose first request was refused cannot be resumed.
  bool forgets_unused_sessions = false;
  /// The event of its hook whose `additionalContext` reaches its model; empty: none does.
  std::string_view told_event;
  /// Prefix of the name of its MCP client, if that client hides tools named ask_user and reads a result's
  /// text as JSON. Empty: it does neither.
  std::string_view peculiar_mcp_client;
};

/// Where an agent keeps logins, sessions and settings, as absolute paths.
struct AgentPlaces {
  std::vector<std::string> write, read, forget;  // Agent::state, state_to_read, state_to_forget
  std::vector<std::string> login;                // Agent::login_files
};
/// Only where it really keeps them. `moved`: the value of its user_settings_variable; one that is no absolute
/// path moves nothing.
AgentPlaces places_of(const Agent& agent, const std::string& home, const std::string& moved);
/// That value for its jobs: the profile's, or this process's own if they run as the same user (`is_own`);
/// empty: neither sets it.
std::string moved_place(const Agent& agent, const AgentProfile& profile, bool is_own);

/// All agents, in the order in which Luzia looks for an installed one.
std::span<const Agent> known_agents();
/// nullptr: no known agent has this name.
const Agent* find_agent(std::string_view name);
/// The agent that a profile runs, by the profile's name or its program's; nullptr: none that is known.
const Agent* agent_of(std::string_view name, const std::vector<std::string>& command);
/// Whether the command names the file with the task, `{task_file}`.
bool takes_task_file(const std::vector<std::string>& command);
/// `sh {task_file}`, `sh -c {task}`: the task is executed, and a person's answer or message must not be. It
/// goes to prompt.txt.
bool takes_code(const std::vector<std::string>& command);
/// The command that resumes a session of `agent`: `command` with its resume_words before a last "-". Empty if
/// `command` gives the agent to a shell as code: nobody can tell where the words belong.
std::vector<std::string> resume_of(const Agent& agent, const std::vector<std::string>& command);
/// `command` with `words` in place of kPermissionsPlace. If it has no such place: unchanged, or with
/// `anywhere` before a last "-".
std::vector<std::string> with_permissions(const std::vector<std::string>& command,
                                          const std::vector<std::string>& words, bool anywhere);
/// Names of the daemon's variables that jobs of this profile inherit: those by which the agent logs in and
/// finds its service, those of proxies and certificates, and the profile's own.
std::vector<std::string> passed_variables(std::string_view name, const AgentProfile& profile);
/// Names separated by commas. With `which`: only of agents for which it returns true.
std::string agent_names(bool (*which)(const Agent& agent) = nullptr);
/// The name by which gates know a tool: that of Claude Code's tool that does the same. Itself, if none does.
std::string usual_tool(std::string_view tool);
/// Output formats of all agents, each once.
std::vector<std::string> agent_formats();
/// Whether a call of this tool, under any agent's name for it, changes the files that it names.
bool changes_files(std::string_view tool);

}  // namespace luzia
