#include "tools/luzia/run/folder_project.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/config/toml_text.h"
#include "adapters/config/toml_tree.h"
#include "adapters/files/out_file.h"
#include "engine/base/characters.h"
#include "engine/base/try.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// Locks the folder of a configuration file while the file is rewritten.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

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

Status write_whole(const std::string& file, const std::string& text) {
  auto out = LUZIA_TRY(OutFile::create(file));
  LUZIA_TRY(out.write(text));
  return out.finish();
}

/// The text of a file; empty: the file does not exist.
std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
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
  const fs::path folder = fs::path(project.file).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail_errno(error.value(), "output_failed", "creating the configuration folder " + folder.string());
  }
  const FolderLock lock(folder);
  const std::string text = text_of(project.file);
  const std::string table = "[projects." + toml_key(project.name) + "]", path = toml_string(project.path);
  std::string added = text.empty() ? "" : text.back() == '\n' ? "\n" : "\n\n";
  added += table + "\npath = " + path + "\n";
  if (const auto sound = parse_toml(text + added, project.file); !sound) {
    Error failed = sound.error();
    failed.hint = "add " + table + " with path = " + path + " to " + project.file + " by hand";
    return tl::unexpected(std::move(failed));
  }
  LUZIA_TRY(write_whole(project.file, text + added));
  project.added = std::move(added);
  return {};
}

Status take_back(const FolderProject& project) {
  const FolderLock lock(fs::path(project.file).parent_path());
  std::string text = text_of(project.file);
  const std::size_t at = project.added.empty() ? std::string::npos : text.rfind(project.added);
  if (at == std::string::npos) return {};
  text.erase(at, project.added.size());
  std::error_code ignored;
  if (text.empty() && fs::remove(project.file, ignored)) return {};
  return write_whole(project.file, text);
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
