// Folders as projects: finds the project of a folder, and makes a folder a project. One thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/config/config.h"
#include "engine/base/result.h"

namespace luzia {

struct FolderProject {
  std::string name, path;
  std::string file = {};   // the configuration file that the project was added to; empty: it existed before
  std::string added = {};  // the text that was added to it
};

/// The innermost configured project whose path is `folder` or holds it. `folder` is absolute.
std::optional<FolderProject> project_of_folder(const Config& config, const std::string& folder);

/// The folder that becomes a project for work in `folder`: the top of its git work tree, else the folder
/// itself.
std::string project_top(const std::string& folder);

/// A free project name made from the folder's name: letters, digits, dots, dashes and underscores. The
/// parent's name or a number is added if a project, an agent or a command has the name.
std::string free_project_name(const Config& config, const std::string& folder);

/// Appends [projects.NAME] with the project's path to its configuration file, which is created if necessary,
/// and sets `added`. The change is written completely or not at all, even if two programs do it at once.
/// Errors: `config_syntax` (usage): the file would not be valid; `output_failed` (trouble).
Status write_project(FolderProject& project);

/// Undoes write_project(), also if more was added to the file since. A file that is empty then is deleted.
/// Does nothing if the project existed before, or if its lines have been edited.
Status take_back(const FolderProject& project);

/// The project of the folder. If there is none: one to create by write_project(), with `file` set to the last
/// configuration file that is read: `config_option`, else $LUZIA_CONFIG, else the user's own. Errors (usage):
/// `bad_folder` for `/`, `no_home`.
Result<FolderProject> project_for_folder(const Config& config, const std::string& config_option,
                                         const std::string& folder);

}  // namespace luzia
