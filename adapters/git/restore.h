// Finds what changed since a snapshot, and restores it. Index, HEAD and stash stay as they are. Ignored
// files, and files left out of the snapshot or of the current capture, are never touched. Blocks; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/git/snapshot.h"

namespace luzia {

struct FileChange {
  enum class Kind { changed, removed, added };  // since the snapshot
  std::string path;                             // relative to the top folder
  Kind kind = Kind::changed;
  std::string mode, object;  // in the snapshot; empty: not in it
};

/// "changed", "removed" or "added".
const char* change_word(FileChange::Kind kind);

struct ChangesSince {
  FilesNow now;
  std::vector<FileChange> changes;      // by path
  std::vector<std::string> left_alone;  // to show to people: left out then or now, or submodules' commits
};

/// `paths`: files or folders relative to the top folder; empty: all.
Result<ChangesSince> changes_since(const Repository& repository, const Snapshot& snapshot,
                                   const std::vector<std::string>& paths, NewObjects objects,
                                   GitDeadline deadline);

enum class DiffForm { patch, stat, names, numbers };
/// Prints the difference as git does, without colors, for `since.changes` only. `numbers`: --numstat -z.
Status print_changes(const ChangesSince& since, DiffForm form, const Git::Taker& take);

/// Restores the files of `since.changes` to their state in the snapshot: all of them or none. Refused
/// (`git_failed`) if one of them changes meanwhile. The caller made `since` with NewObjects::kept and has
/// already stored it as a snapshot itself.
Status put_back(const ChangesSince& since);

}  // namespace luzia
