#include "adapters/config/config_keys.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

using schema::ExitMeaning;

/// The convention of agents: 1 may work when tried again, 2 will not, 100 waits for an answer.
const std::map<int, ExitMeaning>& convention() {
  static const std::map<int, ExitMeaning> codes = {{0, ExitMeaning::completed},
                                                   {1, ExitMeaning::retriable_failure},
                                                   {2, ExitMeaning::final_failure},
                                                   {100, ExitMeaning::needs_clarification}};
  return codes;
}

AgentProfile agent(std::vector<std::string> command, std::string output, std::vector<std::string> resume) {
  AgentProfile profile;
  profile.command = std::move(command);
  profile.output = std::move(output);
  profile.resume = std::move(resume);
  profile.exit_codes = convention();
  return profile;
}

/// The task is a shell command. The shell reads it from a file, not from its arguments, which everybody on
/// the machine sees, and not from stdin, which the command itself may read. Any command may end with any code
/// for its own reasons, so none is retriable by itself.
AgentProfile shell() {
  AgentProfile profile;
  profile.command = {"/bin/sh", "{task_file}"};
  profile.stdin_prompt = false;
  profile.exit_codes = {{0, ExitMeaning::completed}};
  profile.breaker = false;  // failing tests are what it is there to find
  return profile;
}

}  // namespace

std::map<std::string, AgentProfile> shipped_agents() {
  std::map<std::string, AgentProfile> agents;
  agents["shell"] = shell();
  agents["claude"] =
      agent({"claude", "-p", "--output-format", "stream-json", "--verbose"}, "claude-stream-json",
            {"claude", "-p", "--output-format", "stream-json", "--verbose", "--resume", "{session_id}"});
  agents["codex"] = agent({"codex", "exec", "--json", "-"}, "codex-json",
                          {"codex", "exec", "resume", "--json", "{session_id}", "-"});
  agents["gemini"] = agent({"gemini", "--output-format", "stream-json"}, "gemini-stream-json",
                           {"gemini", "--output-format", "stream-json", "--resume", "{session_id}"});
  // Its outer process ignores SIGTERM and would leave the inner one running.
  agents["gemini"].env["GEMINI_CLI_NO_RELAUNCH"] = "true";
  // In a folder that nobody has trusted at a terminal it ends with code 55 at once, in a new worktree always.
  // Whoever names a folder as a project means agents to run there. A variable, no --skip-trust: with that
  // option (0.61) the servers of the folder's settings do not start, and releases without it refuse it.
  agents["gemini"].env["GEMINI_CLI_TRUST_WORKSPACE"] = "true";
  agents["opencode"] = agent({"opencode", "run", "--format", "json"}, "opencode-json",
                             {"opencode", "run", "--format", "json", "--session", "{session_id}"});
  // With a person at the terminal: the screen instead of JSON lines, the task as the first thing said.
  agents["claude"].interactive = {"claude", "{task}"};
  agents["codex"].interactive = {"codex", "{task}"};
  agents["gemini"].interactive = {"gemini", "--prompt-interactive", "{task}"};
  agents["opencode"].interactive = {"opencode", "--prompt", "{task}"};
  return agents;
}

std::string exit_meaning_word(ExitMeaning meaning) {
  switch (meaning) {
    case ExitMeaning::completed:
      return "completed";
    case ExitMeaning::retriable_failure:
      return "retriable";
    case ExitMeaning::final_failure:
      return "failed";
    case ExitMeaning::needs_clarification:
      return "needs_clarification";
  }
  return "failed";
}

std::optional<ExitMeaning> parse_exit_meaning(std::string_view word) {
  for (const ExitMeaning meaning : {ExitMeaning::completed, ExitMeaning::retriable_failure,
                                    ExitMeaning::final_failure, ExitMeaning::needs_clarification}) {
    if (lower_case(word) == exit_meaning_word(meaning)) {
      return meaning;
    }
  }
  return std::nullopt;
}

}  // namespace luzia
