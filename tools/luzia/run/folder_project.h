// Folders as projects: which project a folder belongs to, and making one of a folder that belongs to none.
// One thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "engine/base/result.h"

namespace luzia {

struct FolderProject {
  std::string name, path;
  std::string file = {};  // the configuration that now names it; empty: it was known already
};

/// The innermost configured project whose path is `folder` or holds it. `folder` is absolute.
std::optional<FolderProject> project_of_folder(const Config& config, const std::string& folder);

/// What becomes a project when somebody works in `folder`: the top of its git work tree, else the folder.
std::string project_top(const std::string& folder);

/// The folder's name as a project's: letters, digits, dots, dashes and underscores; with its parent's name or
/// a number where another project, an agent or a command is called so.
std::string free_project_name(const Config& config, const std::string& folder);

/// Appends [projects.NAME] with this path to the last configuration file that is read (`config_option`,
/// $LUZIA_CONFIG, else the user's own), which is made where there is none. Whole or not at all, also when two
/// programs do it at once; the daemon reads the file when it next hears the name. Errors: `config_syntax`
/// (usage) when the file cannot take it, `output_failed` (trouble).
Status write_project(const std::string& file, const std::string& name, const std::string& path);

/// The project of the folder, made (and `file` set) where there is none. `bad_folder` (usage) for `/`.
Result<FolderProject> project_for_folder(const Config& config, const std::string& config_option,
                                         const std::string& folder);

}  // namespace luzia
