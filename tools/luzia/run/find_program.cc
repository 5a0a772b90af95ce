#include "tools/luzia/run/find_program.h"

#include <unistd.h>

#include <cstdlib>

namespace luzia {

std::string find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    std::string candidate = std::string(rest.substr(0, colon)) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

bool is_installed(const Config& config, std::string_view agent) {
  const auto profile = config.agents.find(std::string(agent));
  return profile != config.agents.end() && !profile->second.command.empty() &&
         !find_program(profile->second.command.front()).empty();
}

}  // namespace luzia
