#include "tools/luzia/run/find_program.h"

#include <unistd.h>

#include <cstdlib>

namespace luzia {

std::string find_on_path(const std::string& program, std::string_view path) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0 ? program : "";
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    std::string candidate = std::string(path.substr(0, colon)) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
  }
  return {};
}

std::string find_program(const std::string& program) {
  const char* path = std::getenv("PATH");
  return find_on_path(program, path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
}

bool is_installed(const Config& config, std::string_view agent) {
  const auto profile = config.agents.find(std::string(agent));
  return profile != config.agents.end() && !profile->second.command.empty() &&
         !find_program(profile->second.command.front()).empty();
}

}  // namespace luzia
