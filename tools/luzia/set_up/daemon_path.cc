#include "tools/luzia/set_up/daemon_path.h"

#include <fstream>
#include <optional>

#include "tools/luzia/run/find_program.h"

namespace luzia {
namespace {

/// The variable as the process was given it; nullopt: it has none, or it cannot be read.
std::optional<std::string> variable_of(pid_t process, const std::string& name) {
  std::ifstream environment("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
  const std::string begin = name + "=";
  for (std::string entry; std::getline(environment, entry, '\0');) {
    if (entry.starts_with(begin)) return entry.substr(begin.size());
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, std::string> agents_daemon_lacks(const Config& config, pid_t daemon) {
  std::map<std::string, std::string> lacking;
  const auto path = variable_of(daemon, "PATH");
  if (!path) return lacking;
  for (const auto& [name, agent] : config.agents) {
    if (agent.command.empty() || agent.env.contains("PATH")) continue;
    const std::string found = find_program(agent.command.front());
    if (!found.empty() && find_on_path(agent.command.front(), *path).empty()) lacking[name] = found;
  }
  return lacking;
}

}  // namespace luzia
