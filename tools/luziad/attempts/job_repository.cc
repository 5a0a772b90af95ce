#include "tools/luziad/attempts/job_repository.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "engine/base/descriptor.h"
#include "tools/luziad/watching/file_eyes.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// The first line of a small regular file; empty: there is none. Agents write there, so nothing is trusted.
std::string first_line_of(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  char bytes[4096];
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const ssize_t size = ::read(file.get(), bytes, sizeof bytes);
  const std::string_view text(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::string line(text.substr(0, text.find('\n')));
  return line.find('\0') == std::string::npos ? line : std::string();
}

JobRepository repository_at(const fs::path& folder) {
  return {folder,
          {},
          {{folder / "config", false}, {folder / "config.worktree", false}, {folder / "hooks", true}}};
}

/// The repository of a linked worktree whose file `.git` is `link`. Only if the repository says so too: an
/// agent could name any other in that file, to have it writable next time.
std::optional<JobRepository> repository_of(const fs::path& link) {
  constexpr std::string_view kWord = "gitdir: ";
  std::string line = first_line_of(link);
  if (!line.starts_with(kWord)) return std::nullopt;
  const fs::path own = (link.parent_path() / line.substr(kWord.size())).lexically_normal();
  std::error_code trouble;
  const fs::path back = first_line_of(own / "gitdir");
  if (back.empty() || !fs::equivalent(own / back, link, trouble) || trouble) return std::nullopt;
  // Not what its file `commondir` says, which an agent may have written.
  if (own.parent_path().filename() != "worktrees") return std::nullopt;
  JobRepository repository = repository_at(own.parent_path().parent_path());
  repository.worktree = own;
  for (const fs::path& path : {link, own / "commondir", own / "config.worktree"})
    repository.only_read.push_back({path, false});
  return repository;
}

}  // namespace

std::optional<JobRepository> repository_of_job(const schema::JobSpecT& spec) {
  // On a network's file system root may see less than the job's user.
  std::optional<FileEyes> eyes;
  if (::geteuid() == 0 && spec.uid != 0) eyes.emplace(groups_of(spec.user, spec.gid), spec.uid, spec.gid);
  fs::path at = fs::path(spec.working_dir).lexically_normal();
  for (; at != at.root_path(); at = at.parent_path()) {
    std::error_code unknown;
    struct stat status;
    if (fs::equivalent(at, spec.home, unknown)) return std::nullopt;
    const fs::path git = at / ".git";
    if (::lstat(git.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) return repository_at(git);
    return S_ISREG(status.st_mode) ? repository_of(git) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace luzia
