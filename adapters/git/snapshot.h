// Snapshots: a commit with the files of a work tree that only our own ref names, refs/luzia/JOB/NAME. NAME is
// the attempt before which it was taken, or restore-N for the state before a restore. The commit's parent is
// the commit checked out then, its author is luzia, and its message lists the files left out. Blocks; any
// thread. Errors: those of Git and Repository.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/files_now.h"

namespace luzia {

inline constexpr std::uint64_t kSnapshotMaxFile = 10 << 20;  // bytes; the default

/// refs/luzia/JOB/NAME.
std::string snapshot_ref(const std::string& job, const std::string& name);

struct Snapshot {
  std::string repository;  // the top folder of the captured work tree
  std::string commit, tree;
  std::string head, branch;  // what was checked out; empty: no commit yet, no branch
  std::uint32_t files = 0;   // number that differ from head
  std::uint64_t max_file = 0;
  std::set<std::string> left_out;
};

/// Stores the capture `now` of `repository` under `ref`. The commit message states `what` was captured.
Result<Snapshot> keep_snapshot(const Repository& repository, const FilesNow& now, std::uint64_t max_file,
                               const std::string& ref, const std::string& what);

/// Captures and stores in one call. `directory`: any folder in the work tree.
Result<Snapshot> take_snapshot(const std::string& directory, std::uint64_t max_file, const std::string& ref,
                               const std::string& what, GitDeadline deadline);

/// Reads a stored snapshot, perhaps of another worktree of the repository. Does not set files, head and
/// branch. `no_snapshot` (not found).
Result<Snapshot> read_snapshot(const Repository& repository, const std::string& ref, GitDeadline deadline);

struct SnapshotRef {
  std::string ref, job, name, commit;
  std::int64_t taken_s = 0;  // seconds since 1970
};
Result<std::vector<SnapshotRef>> list_snapshots(const Repository& repository, GitDeadline deadline);

}  // namespace luzia
