// Helpers with which each agent's folder describes the agent. Private to adapters/agents.
#pragma once

#include "engine/ports/agent.h"

namespace luzia {

/// Gives the agent a profile with the usual conventions: the task arrives on standard input. Exit code 1 may
/// succeed on a retry, 2 will not, 100 waits for an answer. Set resume_words first.
void set_profile(Agent& agent, std::vector<std::string> command, std::string output);

/// Permissions that are one option with another value for each: plan, ask, edits, bypass.
std::map<Permissions, PermissionOptions> permission_option(const std::string& option,
                                                           const std::vector<std::string>& values);

/// Adds words that let each level use the job directory, where questions are written. They come first,
/// because such options may take all words up to the next option.
void allow_job_dir(std::map<Permissions, PermissionOptions>& levels, const std::string& option);

/// What built-in tools are for, under an agent's names for them.
namespace about {
inline constexpr std::string_view kRun =
    "run commands: build, compile, test, install, start; read the error output and fix what it shows";
inline constexpr std::string_view kSearch =
    "search the code for names, error messages, types and callers; find where something is used";
inline constexpr std::string_view kFind = "find files by name or pattern";
inline constexpr std::string_view kRead = "read a file, with line numbers; review and explain code";
inline constexpr std::string_view kEdit =
    "change a place in a file: fix, refactor, rename, add, remove, update code and documents";
inline constexpr std::string_view kWrite = "write a new file: create, generate, add a module or document";
inline constexpr std::string_view kWebSearch =
    "search the web for the latest version, release notes, an unknown error";
inline constexpr std::string_view kWebFetch = "read a web page: documentation, release notes, an issue";
inline constexpr std::string_view kPlan = "keep a list of steps for a large task with several parts";
}  // namespace about

}  // namespace luzia
