#include "adapters/git/worktree.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "engine/base/descriptor.h"
#include "engine/base/safe_folder.h"

namespace luzia {
namespace {

constexpr std::string_view kOwnBranches = "refs/heads/luzia/";

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// Whether a worktree was begun but not filled: git marks one before filling it, and the mark stays if git is
/// killed.
Result<bool> is_begun(const std::string& top, GitDeadline deadline) {
  const auto mark =
      LUZIA_TRY(Git(top, deadline).line({"rev-parse", "--path-format=absolute", "--git-path", "locked"}));
  return exists(mark);
}

/// Puts the link where the project is relative to its repository's top folder.
Status place_link(const std::string& top, const std::string& path, const std::string& below) {
  std::error_code error;
  std::filesystem::create_directories(top + "/" + below, error);
  if (error) return fail_errno(error.value(), "worktree_failed", "cannot create " + top + "/" + below);
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
    return fail_errno(errno, "worktree_failed", "cannot replace " + path);
  }
  const std::string target = top.substr(top.rfind('/') + 1) + "/" + below;
  if (::symlink(target.c_str(), path.c_str()) != 0) {
    return fail_errno(errno, "worktree_failed", "cannot create " + path);
  }
  return {};
}

/// When git adds or removes a worktree, it scans all worktrees of the repository, and fails on one that
/// another git is creating. So ours run one at a time. Where locking is impossible (some network file
/// systems), they run without a lock.
class WorktreesLock {
 public:
  WorktreesLock(const std::string& common, GitDeadline deadline)
      : fd_(::open(common.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr std::chrono::milliseconds kLookAgain(10);
    while (fd_ && ::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      if (std::chrono::steady_clock::now() >= deadline) return;  // git has the same deadline
      std::this_thread::sleep_for(kLookAgain);
    }
  }

 private:
  Descriptor fd_;
};

Status add_worktree(const Repository& repository, const std::string& top, const std::string& branch,
                    GitDeadline deadline) {
  Git git(repository.top, deadline);
  git.allow_network();
  const auto present = LUZIA_TRY(commit_of_ref(git, "refs/heads/" + branch));
  // Forced if an earlier attempt's folder is gone but git still lists it.
  const Git::Words words = present ? Git::Words{"worktree", "add", "--quiet", "--force", "--", top, branch}
                                   : Git::Words{"worktree", "add",  "--quiet", "--force", "--no-track",
                                                "-b",       branch, "--",      top,       repository.head};
  const auto added = git.output(words);
  return added ? Status() : tl::unexpected(added.error());
}

tl::unexpected<Error> no_commit(const std::string& project) {
  return fail(ErrorKind::refused, "no_commit",
              "the repository of " + project + " has no commit yet that a worktree could begin with",
              "git commit first");
}

}  // namespace

Result<Worktree> make_worktree(const std::string& project, const std::string& path, const std::string& branch,
                               GitDeadline deadline) {
  const auto repository = LUZIA_TRY(find_repository(project, deadline));
  auto below = LUZIA_TRY(Git(project, deadline).line({"rev-parse", "--show-prefix"}));
  while (below.ends_with('/')) below.pop_back();
  const std::string top = below.empty() ? path : folder_above(path) + "/repository";
  const WorktreesLock alone(repository.common, deadline);
  Worktree worktree{repository.top, path, branch, repository.head, false};
  worktree.kept = exists(top + "/.git");
  if (worktree.kept) {
    const auto begun = LUZIA_TRY(is_begun(top, deadline));
    worktree.kept = !begun;
    if (begun) {
      LUZIA_TRY(
          Git(repository.top, deadline).output({"worktree", "remove", "--force", "--force", "--", top}));
    }
  }
  if (!worktree.kept) {
    if (repository.head.empty()) return no_commit(project);
    LUZIA_TRY(add_worktree(repository, top, branch, deadline));
  }
  if (!below.empty() && !std::filesystem::is_symlink(path)) {
    LUZIA_TRY(place_link(top, path, below));
  }
  return worktree;
}

Result<WorktreeState> look_at_worktree(const std::string& path, const std::string& project,
                                       GitDeadline deadline) {
  const auto repository = LUZIA_TRY(find_repository(path, deadline));
  LUZIA_TRY(check_worktree_of(repository, project, deadline));
  WorktreeState state{repository.top, repository.common, repository.branch, repository.head, false, false};
  const Git git(state.top, deadline);
  const auto changes = LUZIA_TRY(git.output({"status", "--porcelain", "-z", "--untracked-files=normal",
                                             "--ignore-submodules=dirty", "--no-renames"}));
  state.changed = !changes.empty();
  const auto refs = LUZIA_TRY(git.output({"for-each-ref", "--format=%(refname)", "--contains", state.head,
                                          "refs/heads", "refs/remotes", "refs/tags"}));
  std::string_view rest = refs;
  while (!rest.empty()) {
    const std::string_view ref = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(ref.size() + 1, rest.size()));
    state.merged = state.merged ||
                   (!ref.empty() && !ref.starts_with(kOwnBranches) && ref != "refs/heads/" + state.branch);
  }
  return state;
}

Status remove_worktree(const std::string& path, const WorktreeState& state, GitDeadline deadline) {
  const WorktreesLock alone(state.common, deadline);
  const Git git(state.common, deadline);
  LUZIA_TRY(git.output({"worktree", "remove", "--", state.top}));
  if (path != state.top && std::filesystem::is_symlink(path)) ::unlink(path.c_str());
  if (!state.merged || state.branch.empty()) return {};
  const std::string ref = "refs/heads/" + state.branch;
  return ref.starts_with(kOwnBranches) ? delete_ref(git, ref, state.head) : Status();
}

}  // namespace luzia
