#include "tools/luzia/run/folder_project.h"

#include <filesystem>

#include "adapters/config/toml_text.h"
#include "engine/base/characters.h"
#include "engine/base/try.h"
#include "tools/luzia/config_text.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& folder, const std::string& other) {
  return other == folder || (other.starts_with(folder) && other[folder.size()] == '/');
}

std::string as_name(const std::string& folder) {
  std::string name = fs::path(folder).filename().string();
  for (char& c : name) {
    if (!is_letter_or_digit(c) && c != '.' && c != '_') c = '-';
  }
  const std::string_view inner = trimmed(name, "-.");
  return std::string(inner.empty() ? "project" : inner);
}

/// Whether the name is in use, so that `luzia NAME "TASK"` would mean something else.
bool is_taken(const Config& config, const std::string& name) {
  return config.projects.contains(name) || config.agents.contains(name) ||
         find_command(kLuzia, name) != nullptr || find_alias(name) != nullptr || is_query_command(name);
}

}  // namespace

std::optional<FolderProject> project_of_folder(const Config& config, const std::string& folder) {
  std::optional<FolderProject> innermost;
  for (const auto& [name, project] : config.projects) {
    std::error_code error;
    const std::string path = fs::weakly_canonical(project.path, error).string();
    if (project.path.empty() || error || !holds(path, folder)) continue;
    if (!innermost || path.size() > innermost->path.size()) innermost = {name, path};
  }
  return innermost;
}

std::string project_top(const std::string& folder) {
  std::error_code error;
  for (fs::path top = folder; top.has_relative_path(); top = top.parent_path()) {
    if (fs::exists(top / ".git", error)) return top.string();
  }
  return folder;
}

std::string free_project_name(const Config& config, const std::string& folder) {
  std::string name = as_name(folder);
  if (!is_taken(config, name)) return name;
  const std::string parent = fs::path(folder).parent_path().string();
  if (parent.size() > 1) name = as_name(parent) + "-" + name;
  std::string numbered = name;
  for (int n = 2; is_taken(config, numbered); ++n) numbered = name + "-" + std::to_string(n);
  return numbered;
}

Status write_project(FolderProject& project) {
  auto added = LUZIA_TRY(add_config_table(project.file, "[projects." + toml_key(project.name) + "]",
                                          "path = " + toml_string(project.path) + "\n"));
  project.added = std::move(added);
  return {};
}

Status take_back(const FolderProject& project) {
  if (project.added.empty()) return {};
  return rewrite_config(project.file, [&](const std::string& text) -> Result<std::string> {
    const std::size_t at = text.rfind(project.added);
    return at == std::string::npos ? text : std::string(text).erase(at, project.added.size());
  });
}

Result<FolderProject> project_for_folder(const Config& config, const std::string& config_option,
                                         const std::string& folder) {
  if (auto known = project_of_folder(config, folder)) return *known;
  const std::string top = project_top(folder);
  if (top == "/") {
    return fail(ErrorKind::usage, "bad_folder", "the root folder cannot be a project",
                "change to the folder you work in");
  }
  FolderProject project{free_project_name(config, top), top, config_files(config_option).back().path, {}};
  if (project.file.empty()) {
    return fail(ErrorKind::usage, "no_home", "there is no home folder to keep the configuration in",
                "set HOME, or name a file with --config");
  }
  return project;
}

}  // namespace luzia
