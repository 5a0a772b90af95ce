// Port: coding agents. What Luzia knows of each apart from its output format: how to start and resume it, how
// to register Luzia in its settings, what it does differently. adapters/agents implements it, one folder per
// agent. No other code names an agent. Plain constant values, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "job.fb.h"

namespace luzia {

/// How an agent runs; the keys of [agents.NAME].
struct AgentProfile {
  std::vector<std::string> command;
  bool stdin_prompt = true;  // stdin = "prompt" | "null"
  std::string output = "text";
  std::vector<std::string> resume;       // empty: the agent cannot continue a session
  std::vector<std::string> interactive;  // in a terminal, with the task as an argument; empty: `command`
  std::map<std::string, std::string> env;
  // Written as completed, retriable, failed, needs_clarification.
  std::map<int, schema::ExitMeaning> exit_codes;
  std::uint32_t max_running = 0;    // 0: [queue] max_per_agent
  std::uint32_t limit_resumes = 0;  // automatic resumes after usage limits; 0: a person resumes
  // Its quick failures count for the breaker; see [retry] breaker_failures.
  bool breaker = true;
  bool line_buffered = true;  // its programs write their output line by line
  std::map<std::string, double> costs;  // USD per million tokens: input, output, cache_read, cache_write
  std::string when_silent;
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
};

struct Agent {
  std::string_view name;   // --agent NAME
  std::string_view title;  // "Claude Code"
  AgentProfile profile;
  /// Signs of a login: environment variables, and files below the home. One of them is enough.
  std::vector<const char*> login_variables, login_files;

  std::vector<SettingsFile> settings;       // files that `luzia init` changes
  const char* user_settings_variable = "";  // environment variable that moves the user's settings
  bool variable_names_own_folder = false;   // the variable names the folder of `path` itself, not its parent
  bool has_user_settings = false;           // Luzia can be registered for all projects of the user
  std::string_view advice;                  // what `luzia init` prints beside the files

  std::vector<std::string_view> changing_tools;  // in lower case: tools that change the files they name
  // A session whose first request was refused cannot be resumed.
  bool forgets_unused_sessions = false;
  /// Prefix of the name of its MCP client, if that client hides tools named ask_user and reads a result's
  /// text as JSON. Empty: it does neither.
  std::string_view peculiar_mcp_client;
};

/// All agents, in the order in which Luzia looks for an installed one.
std::span<const Agent> known_agents();
/// nullptr: no known agent has this name.
const Agent* find_agent(std::string_view name);
/// Names separated by commas. With `which`: only of agents for which it returns true.
std::string agent_names(bool (*which)(const Agent& agent) = nullptr);
/// Output formats of all agents, each once.
std::vector<std::string> agent_formats();
/// Whether a call of this tool, under any agent's name for it, changes the files that it names.
bool changes_files(std::string_view tool);

}  // namespace luzia
