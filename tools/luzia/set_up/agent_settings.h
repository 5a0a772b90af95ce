// What `luzia init AGENT` changes in an agent's own settings: which files, and how. Pure, except that it
// reads the files. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/ports/agent.h"

namespace luzia::init {

struct Task {
  const Agent* agent;
  std::string folder;      // the project's, or the user's home
  std::string program;     // how the agent calls luzia: a name, or a path
  bool undo = false;       // remove what Luzia has added, and nothing else
  bool is_users = false;   // the user's own settings, not a project's
  bool is_agents = false;  // `folder` is the agent's own settings folder
};

struct FileChange {
  std::string file;
  std::string before, after;  // empty: there is no such file
};

/// The files that have to change; empty if they are set up already. Errors: `bad_settings` (usage) if a file
/// cannot be edited in a single place, `unreadable` (trouble).
Result<std::vector<FileChange>> changes_of(const Task& task);

/// Writes the files in the order given, each of them atomically. Mode and symbolic links are kept. Errors:
/// `changed_meanwhile` (refused) if somebody else has changed a file since it was read, `unwritable`
/// (trouble).
Status write_changes(const std::vector<FileChange>& changes);

}  // namespace luzia::init
