#include "adapters/git/files_now.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace luzia {
namespace {

/// A file may change or vanish while git reads it.
constexpr int kMostTries = 3;

/// Also copies the index's modification time. Git uses it to tell which entries it must re-read because their
/// files were written at the same moment.
Status copy_index(const std::string& from, const std::string& to) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0 && errno == ENOENT) return {};  // nothing was ever added
  if (in < 0) return fail_errno(errno, "git_failed", "cannot read " + from);
  const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat status {};
  int error = out < 0 || ::fstat(in, &status) != 0 ? errno : 0;
  off_t copied = 0;
  while (error == 0 && copied < status.st_size) {
    const ssize_t size = ::sendfile(out, in, &copied, static_cast<std::size_t>(status.st_size - copied));
    if (size == 0 || (size < 0 && errno != EINTR)) error = size == 0 ? EIO : errno;
  }
  const timespec times[2] = {status.st_atim, status.st_mtim};
  if (error == 0 && ::futimens(out, times) != 0) error = errno;
  ::close(in);
  if (out >= 0) ::close(out);
  return error == 0 ? Status() : fail_errno(error, "no_scratch", "cannot copy the index to " + to);
}

/// The quoting that git expects in lists of object folders.
std::string quoted_folder(const std::string& folder) {
  if (folder.find_first_of(":\"\n") == std::string::npos) return folder;
  std::string quoted = "\"";
  for (const char c : folder) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + '"';
}

Status use_scratch_objects(Git& git, const std::string& folder) {
  const auto objects = LUZIA_TRY(git.line({"rev-parse", "--path-format=absolute", "--git-path", "objects"}));
  if (::mkdir(folder.c_str(), 0700) != 0) return fail_errno(errno, "no_scratch", "cannot create " + folder);
  git.set("GIT_OBJECT_DIRECTORY", folder);
  git.set("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted_folder(objects));
  return {};
}

bool is_folder(const std::string& path) {
  return path.ends_with('/');
}

}  // namespace

/// A private temporary folder; the destructor removes it.
struct FilesNow::Folder {
  std::string path;
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  Status make() {
    const char* temp = std::getenv("TMPDIR");
    for (const std::string& base : {std::string(temp == nullptr ? "" : temp), std::string("/tmp")}) {
      std::string name = base + "/luzia-git-XXXXXX";
      if (base.starts_with('/') && ::mkdtemp(name.data()) != nullptr) {
        path = std::move(name);
        return {};
      }
    }
    return fail_errno(errno, "no_scratch", "cannot create a folder in /tmp");
  }
};

FilesNow::FilesNow(std::unique_ptr<Folder> folder, Git git, std::uint64_t max_file)
    : folder_(std::move(folder)), git_(std::move(git)), max_file_(max_file) {}
FilesNow::FilesNow(FilesNow&&) noexcept = default;
FilesNow& FilesNow::operator=(FilesNow&&) noexcept = default;
FilesNow::~FilesNow() = default;

Result<FilesNow> FilesNow::look(const Repository& repository, std::uint64_t max_file, NewObjects objects,
                                GitDeadline deadline) {
  auto folder = std::make_unique<Folder>();
  LUZIA_TRY(folder->make());
  const std::string index = folder->path + "/index";
  LUZIA_TRY(copy_index(repository.index, index));
  Git git(repository.top, deadline);
  if (objects == NewObjects::scratch) {
    LUZIA_TRY(use_scratch_objects(git, folder->path + "/objects"));
  }
  git.set("GIT_INDEX_FILE", index);
  FilesNow now(std::move(folder), std::move(git), max_file);
  Status taken;
  for (int tries = 0; tries == 0 || (!taken && taken.error().code == "git_failed" && tries < kMostTries);
       ++tries) {
    const auto paths = LUZIA_TRY(now.changed_paths());
    taken = now.take(paths);
  }
  if (!taken) return tl::unexpected(taken.error());
  return now;
}

std::string FilesNow::scratch(const std::string& name) const {
  return folder_->path + "/" + name;
}

Result<std::set<std::string>> FilesNow::changed_paths() const {
  std::set<std::string> paths;
  for (const Git::Words& words :
       {Git::Words{"diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=dirty"},
        Git::Words{"ls-files", "-z", "--others", "--exclude-standard"}}) {
    const auto listed = LUZIA_TRY(git_.output(words));
    for (std::string& path : split_at_nul(listed)) paths.insert(std::move(path));
  }
  return paths;
}

bool FilesNow::is_taken(const std::string& path) {
  const std::string full = git_.directory() + "/" + path;
  struct stat status {};
  if (::lstat(full.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return true;  // a removed file is captured as removed
    left_out_.insert(path);
    return false;
  }
  const bool too_large =
      S_ISREG(status.st_mode) && max_file_ != 0 && static_cast<std::uint64_t>(status.st_size) > max_file_;
  const bool unreadable = S_ISREG(status.st_mode) && ::access(full.c_str(), R_OK) != 0;
  const bool known_kind = S_ISREG(status.st_mode) || S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode);
  if (is_folder(path) || too_large || unreadable || !known_kind) {
    left_out_.insert(path);
    return false;
  }
  return true;
}

Status FilesNow::take(const std::set<std::string>& paths) {
  left_out_.clear();
  return include({paths.begin(), paths.end()});
}

Status FilesNow::include(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) {
    if (is_taken(path)) list.append(path).push_back('\0');
  }
  if (!list.empty()) {
    LUZIA_TRY(git_.output({"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}, list));
  }
  tree_ = LUZIA_TRY(git_.line({"write-tree"}));
  return {};
}

}  // namespace luzia
