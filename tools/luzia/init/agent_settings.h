// What an agent's own settings need so that it works with Luzia in a project: which files, and what changes
// in them. Pure but for reading the files. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/ports/agent.h"

namespace luzia::init {

struct Task {
  const Agent* agent;
  std::string folder;      // the project's, or the user's home
  std::string program;     // how the agent calls luzia: a name, or a path
  bool undo = false;       // takes out what is Luzia's, and nothing else
  bool is_agents = false;  // `folder` is the agent's own, by whatever name
};

struct FileChange {
  std::string file;
  std::string before, after;  // empty: there is no such file
};

/// The files that have to change; none when everything is as it should be. `bad_settings` (usage) where a
/// file cannot be changed in a single place, `unreadable` (trouble).
Result<std::vector<FileChange>> changes_of(const Task& task);

/// Writes them, each whole or not at all, in the order given; a file whose content changed meanwhile is
/// `changed_meanwhile` (refused). Mode and links stay as they are. `unwritable` (trouble).
Status write_changes(const std::vector<FileChange>& changes);

}  // namespace luzia::init
