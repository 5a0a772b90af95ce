// Snapshots: the files of a work tree kept as a commit that only a ref of ours names, refs/luzia/JOB/NAME.
// NAME is the attempt before which it was taken, or restore-N for what a restore was about to change. The
// commit's parent is what was checked out, its author is luzia, and its message names what was left out.
// Blocks; any thread. Errors: those of Git and Repository.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/files_now.h"

namespace luzia {

inline constexpr std::uint64_t kSnapshotMaxFile = 10 << 20;  // bytes, where nothing else is said

/// refs/luzia/JOB/NAME.
std::string snapshot_ref(const std::string& job, const std::string& name);

struct Snapshot {
  std::string repository;  // the top folder that it was taken of
  std::string commit, tree;
  std::string head, branch;  // what was checked out; empty: no commit yet, no branch
  std::uint32_t files = 0;   // that differ from head
  std::uint64_t max_file = 0;
  std::set<std::string> left_out;
};

/// Keeps what `now` found of `repository` under `ref`. `what` says in the message of what it is.
Result<Snapshot> keep_snapshot(const Repository& repository, const FilesNow& now, std::uint64_t max_file,
                               const std::string& ref, const std::string& what);

/// Looks and keeps, in one. `directory`: any folder in the work tree.
Result<Snapshot> take_snapshot(const std::string& directory, std::uint64_t max_file, const std::string& ref,
                               const std::string& what, GitDeadline deadline);

/// One that was taken, perhaps of another worktree of the repository; files, head and branch are not filled.
/// `no_snapshot` (not found).
Result<Snapshot> read_snapshot(const Repository& repository, const std::string& ref, GitDeadline deadline);

struct SnapshotRef {
  std::string ref, job, name, commit;
  std::int64_t taken_s = 0;  // seconds since 1970
};
/// All that a repository has.
Result<std::vector<SnapshotRef>> list_snapshots(const Repository& repository, GitDeadline deadline);

}  // namespace luzia
