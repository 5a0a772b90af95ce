// A git repository as a job's folder shows it: where it is and what is checked out. Blocks; any thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/git/git_command.h"

namespace luzia {

struct Repository {
  std::string top;     // the work tree's top folder, absolute
  std::string index;   // the index file, which need not exist
  std::string common;  // the folder that all worktrees of the repository share
  std::string head;    // commit; empty: none yet
  std::string tree;    // of head
  std::string branch;  // empty: detached
};

/// The one whose work tree `directory` is in. Errors beside those of Git: `no_repository` (refused: there is
/// none, nothing is wrong), `broken_repository` (trouble), `bare_repository`, `foreign_repository` (refused:
/// it belongs to another user, and git wants to be told that this is meant).
Result<Repository> find_repository(const std::string& directory, GitDeadline deadline);

/// Whether there is a `.git` in the folder or above it: without asking git, for folders that have none.
bool may_have_repository(const std::string& directory);

/// What a ref names; nothing when there is no such ref.
Result<std::optional<std::string>> commit_of_ref(const Git& git, const std::string& ref);

/// Points a ref at a commit; `before` other than empty: only if it points there now.
Status point_ref(const Git& git, const std::string& ref, const std::string& commit);
Status delete_ref(const Git& git, const std::string& ref, const std::string& before);

}  // namespace luzia
