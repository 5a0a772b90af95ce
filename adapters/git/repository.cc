#include "adapters/git/repository.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace luzia {
namespace {

tl::unexpected<Error> no_repository(const std::string& directory) {
  if (may_have_repository(directory)) {
    return fail(ErrorKind::trouble, "broken_repository",
                directory + " has a .git that git does not take for a repository", "git fsck may tell more");
  }
  return fail(ErrorKind::refused, "no_repository", directory + " is in no git repository",
              "git init makes one");
}

/// Git's reason in our words, for the common cases.
tl::unexpected<Error> why_not(const std::string& directory, const GitOutput& output) {
  if (output.err.find("not a git repository (or any") != std::string::npos) return no_repository(directory);
  if (output.err.find("must be run in a work tree") != std::string::npos) {
    return fail(ErrorKind::refused, "bare_repository",
                directory + " is inside a repository without a work tree");
  }
  if (output.err.find("dubious ownership") != std::string::npos) {
    return fail(ErrorKind::refused, "foreign_repository",
                "the repository of " + directory + " belongs to another user",
                "if that is meant: git config --global --add safe.directory " + directory);
  }
  return tl::unexpected(git_error(output));
}

Status look_at_head(const Git& git, Repository& repository) {
  auto names = LUZIA_TRY(git.run({"rev-parse", "--symbolic-full-name", "HEAD"}));
  const auto ids = LUZIA_TRY(git.run({"rev-parse", "--quiet", "--verify", "HEAD^{commit}"}));
  const auto without_break = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  constexpr std::string_view kHeads = "refs/heads/";
  if (ids.exit_code == 0) {
    repository.head = without_break(ids.out);
    repository.tree = LUZIA_TRY(git.line({"rev-parse", "--quiet", "--verify", repository.head + "^{tree}"}));
  } else {
    // rev-parse cannot give the full name of a branch without a commit.
    names = LUZIA_TRY(git.run({"symbolic-ref", "--quiet", "HEAD"}));
  }
  const std::string name = without_break(names.out);
  if (name.starts_with(kHeads)) repository.branch = name.substr(kHeads.size());
  return {};
}

tl::unexpected<Error> diverted(const std::string& folder, const std::string& by) {
  return fail(ErrorKind::refused, "diverted_repository",
              "git is not run in " + folder + ": " + by +
                  " leads it to another repository, whose settings may name programs",
              "look at it, and remove it if nobody made it on purpose");
}

/// Only worktrees that git has linked have such a file, in the repository's folder.
Status check_common(const std::string& top) {
  struct stat status {};
  const std::string folder = top + "/.git", file = folder + "/commondir";
  const bool leads_away =
      ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && ::lstat(file.c_str(), &status) == 0;
  return leads_away ? diverted(top, file) : Status();
}

}  // namespace

Result<Repository> find_repository(const std::string& directory, GitDeadline deadline) {
  const auto found = LUZIA_TRY(Git(directory, deadline).run({"rev-parse", "--show-toplevel"}));
  if (found.exit_code != 0) return why_not(directory, found);
  Repository repository;
  repository.top = found.out.substr(0, found.out.size() - std::min<std::size_t>(found.out.size(), 1));
  LUZIA_TRY(check_common(repository.top));
  const Git git(repository.top, deadline);
  repository.index = LUZIA_TRY(git.line({"rev-parse", "--path-format=absolute", "--git-path", "index"}));
  repository.common = LUZIA_TRY(git.line({"rev-parse", "--path-format=absolute", "--git-common-dir"}));
  LUZIA_TRY(look_at_head(git, repository));
  return repository;
}

Status check_worktree_of(const Repository& worktree, const std::string& project, GitDeadline deadline) {
  const auto own = LUZIA_TRY(find_repository(project, deadline));
  return own.common == worktree.common ? Status() : diverted(worktree.top, worktree.top + "/.git");
}

bool may_have_repository(const std::string& directory) {
  std::string folder = directory;
  while (true) {
    struct stat status {};
    if (::lstat((folder + "/.git").c_str(), &status) == 0) return true;
    if (errno != ENOENT && errno != ENOTDIR) return true;  // it may be there
    // Also true inside a bare repository, so that it is reported.
    if (::lstat((folder + "/HEAD").c_str(), &status) == 0 &&
        ::lstat((folder + "/objects").c_str(), &status) == 0) {
      return true;
    }
    if (folder.empty() || folder == "/") return false;
    folder.erase(folder.rfind('/'));
  }
}

Result<std::optional<std::string>> commit_of_ref(const Git& git, const std::string& ref) {
  auto ran = LUZIA_TRY(git.run({"rev-parse", "--quiet", "--verify", ref + "^{commit}"}));
  if (ran.exit_code != 0) return std::nullopt;
  return ran.out.substr(0, ran.out.find('\n'));
}

Status point_ref(const Git& git, const std::string& ref, const std::string& commit) {
  const auto done = git.output({"update-ref", "--no-deref", ref, commit});
  return done ? Status() : tl::unexpected(done.error());
}

Status delete_ref(const Git& git, const std::string& ref, const std::string& before) {
  const auto done = git.output({"update-ref", "--no-deref", "-d", ref, before});
  return done ? Status() : tl::unexpected(done.error());
}

}  // namespace luzia
