#include "adapters/config/config_keys.h"
#include "engine/base/lower_case.h"
#include "engine/ports/agent.h"

namespace luzia {
namespace {

using schema::ExitMeaning;

/// The task is a shell command. The shell reads it from a file: other users can see arguments, and the
/// command itself may read stdin. A command may use any exit code for its own purposes, so none is retryable
/// by default.
AgentProfile shell() {
  AgentProfile profile;
  profile.command = {"/bin/sh", "{task_file}"};
  profile.stdin_prompt = false;
  profile.exit_codes = {{0, ExitMeaning::completed}};
  profile.breaker = false;  // finding failing tests is the job's purpose
  return profile;
}

}  // namespace

std::map<std::string, AgentProfile> shipped_agents() {
  std::map<std::string, AgentProfile> agents = {{"shell", shell()}};
  for (const Agent& agent : known_agents()) agents.emplace(agent.name, agent.profile);
  return agents;
}

std::vector<std::string> output_formats() {
  std::vector<std::string> formats = agent_formats();
  formats.insert(formats.begin(), "text");
  formats.emplace_back("auto");
  return formats;
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
    if (lower_case(word) == exit_meaning_word(meaning)) return meaning;
  }
  return std::nullopt;
}

}  // namespace luzia
