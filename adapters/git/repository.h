// The git repository that contains a job's folder: its paths and what is checked out. Blocks; any thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/git/git_command.h"

namespace luzia {

struct Repository {
  std::string top;     // the work tree's top folder, absolute
  std::string index;   // the index file; it may not exist
  std::string common;  // the git folder that all worktrees of the repository share
  std::string head;    // commit; empty: no commit yet
  std::string tree;    // of head
  std::string branch;  // empty: detached
};

/// Finds the repository whose work tree contains `directory`. Errors besides those of Git: `no_repository`
/// (refused: there is none, which is no fault), `broken_repository` (trouble), `bare_repository`,
/// `foreign_repository` (refused: it belongs to another user, and git requires confirmation that it is safe),
/// `diverted_repository` (refused: a file in it leads git to the settings of another one, which name
/// programs).
Result<Repository> find_repository(const std::string& directory, GitDeadline deadline);

/// Checks that a job's own worktree still belongs to the repository of its project: its agent may have led
/// git elsewhere. The same errors.
Status check_worktree_of(const Repository& worktree, const std::string& project, GitDeadline deadline);

/// Whether the folder or one above it has a `.git`. A quick check without git for folders outside any
/// repository.
bool may_have_repository(const std::string& directory);

/// The commit that a ref names; nullopt if there is no such ref.
Result<std::optional<std::string>> commit_of_ref(const Git& git, const std::string& ref);

/// Points a ref at a commit. If `before` is not empty, only if the ref points there now.
Status point_ref(const Git& git, const std::string& ref, const std::string& commit);
Status delete_ref(const Git& git, const std::string& ref, const std::string& before);

}  // namespace luzia
