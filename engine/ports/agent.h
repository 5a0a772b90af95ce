// Port: coding agents, and what there is to know of each beside its output: how it is started and resumed,
// how Luzia is entered into its settings, what it does differently. Implemented in adapters/agents, a folder
// for each; everything else asks here and names none. Plain constant values, any thread.
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
  std::vector<std::string> resume;       // empty: it cannot continue a session
  std::vector<std::string> interactive;  // in a terminal, where the task is an argument; empty: `command`
  std::map<std::string, std::string> env;
  std::map<int, schema::ExitMeaning> exit_codes;  // written completed, retriable, failed, needs_clarification
  std::uint32_t max_running = 0;                  // 0: [queue] max_per_agent
  std::uint32_t limit_resumes = 0;                // after usage limits, by itself; 0: a person says so
  bool breaker = true;                            // its quick failures count; see [retry] breaker_failures
  std::map<std::string, double> costs;  // USD per million tokens: input, output, cache_read, cache_write
  std::string when_silent;
};

/// A change of one settings file that people keep: Luzia is entered, or (`undo`) taken out.
struct SettingsEdit {
  std::string file, text;  // its path, for messages, and what it holds; empty: there is none
  std::string program;     // how the agent calls luzia: a name, or a path
  bool undo = false;
  /// Whether a TOML text has a table of a name within another; `config_syntax` (usage).
  Result<bool> (*has_toml_table)(const SettingsEdit& edit, std::string_view table,
                                 std::string_view name) = nullptr;
};

struct SettingsFile {
  const char* path;  // below the project's folder, and for `luzia init --user` below the home
  /// The text as it shall be, every other byte as it was; empty: the file goes. `bad_settings` (usage).
  Result<std::string> (*edit)(const SettingsEdit& edit);
};

struct Agent {
  std::string_view name;   // --agent NAME
  std::string_view title;  // "Claude Code"
  AgentProfile profile;
  /// By what a login shows: variables of the environment, files below the home. One of them is enough.
  std::vector<const char*> login_variables, login_files;

  std::vector<SettingsFile> settings;       // what `luzia init` changes
  const char* user_settings_variable = "";  // the environment's, by which the user's settings lie elsewhere
  bool variable_names_own_folder = false;   // it names the folder of `path` itself, not what that is in
  bool has_user_settings = false;           // Luzia can be entered there, for all projects
  std::string_view advice;                  // what `luzia init` says beyond the files

  std::vector<std::string_view> changing_tools;  // in lower case: calls that change the files they name
  bool forgets_unused_sessions = false;          // one whose first request was refused cannot be resumed
  /// How its MCP client begins to name itself, if that hides tools named ask_user and takes the text of a
  /// result for JSON. Empty: it does neither.
  std::string_view peculiar_mcp_client;
};

/// All of them, in the order in which one is looked for.
std::span<const Agent> known_agents();
/// nullptr: it is none of them.
const Agent* find_agent(std::string_view name);
/// Their names with commas between them; of those alone that `which` is true of.
std::string agent_names(bool (*which)(const Agent& agent) = nullptr);
/// Formats of their output, each once.
std::vector<std::string> agent_formats();
/// Whether a call of this tool, by any of the agents' names for it, changes the files that it names.
bool changes_files(std::string_view tool);

}  // namespace luzia
