#include "adapters/config/gate_subjects.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace luzia {

bool is_file_tool(std::string_view tool) {
  static constexpr std::array<std::string_view, 5> kFileTools = {"Write", "Edit", "MultiEdit", "Read",
                                                                 "NotebookEdit"};
  return std::ranges::find(kFileTools, tool) != kFileTools.end();
}

std::vector<std::string> subjects_of(std::string_view tool, const std::string& tool_input) {
  static constexpr std::array<std::string_view, 7> kKeys = {"command", "file_path", "notebook_path", "path",
                                                            "url",     "query",     "pattern"};
  const auto input = nlohmann::json::parse(tool_input, nullptr, false);
  const bool of_files = is_file_tool(tool);
  std::vector<std::string> subjects;
  if (!input.is_object()) {
    return subjects;
  }
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const bool is_path = i >= 1 && i <= 3;
    if ((tool == "Bash" && i != 0) || (of_files && !is_path)) {
      continue;
    }
    if (const auto value = input.find(kKeys[i]); value != input.end()) {
      subjects.push_back(value->is_string() ? value->get<std::string>() : std::string());
    }
  }
  return subjects;
}

std::string command_of(const std::string& tool_input) {
  const auto subjects = subjects_of("Bash", tool_input);
  return subjects.empty() ? std::string() : subjects.front();
}

}  // namespace luzia
