// Commands of agents: what their permissions and a session to resume add to them.
#include <algorithm>

#include "adapters/agents/agents.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

std::string_view program_of(const std::vector<std::string>& command) {
  const std::string_view path = command.empty() ? std::string_view() : std::string_view(command.front());
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

/// `sh -c '... {task}'`: a word of shell code holds the whole command of the agent.
bool is_shell_code(const std::vector<std::string>& command) {
  const std::string_view program = program_of(command);
  const bool is_shell = program == "sh" || program == "bash" || program == "dash" || program == "zsh";
  return is_shell && std::ranges::any_of(command, [](const std::string& word) {
           return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.back() == 'c';
         });
}

/// Before a last "-", which stands for standard input.
std::vector<std::string> with_words(std::vector<std::string> command, const std::vector<std::string>& words) {
  const bool has_stdin = !command.empty() && command.back() == "-";
  command.insert(has_stdin ? command.end() - 1 : command.end(), words.begin(), words.end());
  return command;
}

}  // namespace

const std::vector<std::string>& permission_words() {
  static const std::vector<std::string> words = {"plan", "ask", "edits", "bypass"};
  return words;
}

std::optional<Permissions> parse_permissions(std::string_view word) {
  const auto& words = permission_words();
  const auto found = std::ranges::find(words, lower_case(word));
  if (found == words.end()) return std::nullopt;
  return static_cast<Permissions>(found - words.begin());
}

const Agent* agent_of(std::string_view name, const std::vector<std::string>& command) {
  const Agent* known = find_agent(name);
  return known != nullptr ? known : find_agent(program_of(command));
}

bool takes_task_file(const std::vector<std::string>& command) {
  return std::ranges::any_of(
      command, [](const std::string& word) { return word.find("{task_file}") != std::string::npos; });
}

bool takes_code(const std::vector<std::string>& command) {
  if (takes_task_file(command)) return true;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& option = command[i - 1];
    const bool is_short = option.size() > 1 && option[0] == '-' && option[1] != '-';
    if (command[i].find("{task}") != std::string::npos && is_short && option.back() == 'c') return true;
  }
  return false;
}

std::vector<std::string> resume_of(const Agent& agent, const std::vector<std::string>& command) {
  if (command.empty() || agent.resume_words.empty() || is_shell_code(command)) return {};
  return with_words(command, agent.resume_words);
}

std::vector<std::string> with_permissions(const std::vector<std::string>& command,
                                          const std::vector<std::string>& words, bool anywhere) {
  const auto place = std::ranges::find(command, kPermissionsPlace);
  if (place == command.end()) return anywhere && !command.empty() ? with_words(command, words) : command;
  std::vector<std::string> filled(command.begin(), place);
  filled.insert(filled.end(), words.begin(), words.end());
  filled.insert(filled.end(), place + 1, command.end());
  return filled;
}

std::vector<std::string> passed_variables(std::string_view name, const AgentProfile& profile) {
  const Agent* agent = agent_of(name, profile.command);
  std::vector<std::string> names = profile.pass_env;
  if (agent == nullptr) return names;
  names.insert(names.end(), agent->login_variables.begin(), agent->login_variables.end());
  names.insert(names.end(), agent->other_variables.begin(), agent->other_variables.end());
  names.insert(names.end(), {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
                             "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"});
  return names;
}

}  // namespace luzia
