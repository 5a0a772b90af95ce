// Finds in a project's own files which technologies it uses, and which commands build and test it. The files
// are other people's and may contain anything: only names from fixed lists and names of scripts leave this
// folder. Any thread; reads files.
#pragma once

#include <string>
#include <vector>

namespace luzia {

/// A command that builds, tests or checks the project.
struct ProjectTool {
  std::string name, about;  // "npm run build", "build the project by package.json: typescript"
};

struct ProjectTechnologies {
  std::string language, framework, build_system;  // the first of each that was found; empty: none
  std::vector<std::string> all;                   // in lower case, each once
  std::vector<ProjectTool> tools;
};

constexpr std::size_t kMaxProjectFileBytes = 1 << 20;
constexpr std::size_t kMaxProjectTools = 12;

/// Looks at files directly in `folder`; links are not followed. Empty if there is no such folder.
ProjectTechnologies find_technologies(const std::string& folder);

}  // namespace luzia
