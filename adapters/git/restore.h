// What has changed since a snapshot, and putting it back. Index, HEAD and stash stay as they are; ignored
// files and what was left out, then or now, are never touched. Blocks; one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/git/snapshot.h"

namespace luzia {

struct FileChange {
  enum class Kind { changed, removed, added };  // since the snapshot
  std::string path;                             // relative to the top
  Kind kind = Kind::changed;
  std::string mode, object;  // in the snapshot; empty: it was not there
};

/// "changed", "removed" or "added".
const char* change_word(FileChange::Kind kind);

struct ChangesSince {
  FilesNow now;
  std::vector<FileChange> changes;      // by path
  std::vector<std::string> left_alone;  // left out then or now, or commits of submodules: for people to know
};

/// `paths`: relative to the top, files or folders; none: all.
Result<ChangesSince> changes_since(const Repository& repository, const Snapshot& snapshot,
                                   const std::vector<std::string>& paths, NewObjects objects,
                                   GitDeadline deadline);

enum class DiffForm { patch, stat, names, numbers };
/// The difference as git prints it, without colours: of `since.changes`, nothing else. `numbers`: --numstat
/// -z.
Status print_changes(const ChangesSince& since, DiffForm form, const Git::Taker& take);

/// Puts the files of `since.changes` back as the snapshot has them, all or none of them. Refused
/// (`git_failed`) when one of them changes meanwhile. `since` was made with NewObjects::kept and is kept as a
/// snapshot itself before.
Status put_back(const ChangesSince& since);

}  // namespace luzia
