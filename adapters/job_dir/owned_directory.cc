#include "adapters/job_dir/owned_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "adapters/job_dir/kept_folder.h"

namespace luzia {
namespace {

// Each user can pass through to their own job; nobody can list the others.
constexpr MissingFolders kJobsRoot{.itself = 0711, .above = 0755};

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<int> open_jobs_root(const std::string& path) {
  return open_kept_folder(path, kJobsRoot);
}

Status check_jobs_root(const std::string& path) {
  const auto root = open_kept_folder(path);
  if (root) ::close(*root);
  return root || root.error().code != "unsafe_jobs_root" ? Status() : tl::unexpected(root.error());
}

Result<int> open_job_directory(const std::string& path) {
  const auto missing = [&] { return fail(ErrorKind::not_found, "no_job_dir", path + " does not exist"); };
  const auto root = open_kept_folder(parent_of(path));
  if (!root && root.error().code == "no_folder") return missing();
  if (!root) return root;
  const int fd =
      ::openat(*root, path.c_str() + path.rfind('/') + 1, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int error = errno;
  ::close(*root);
  if (fd < 0 && error == ENOENT) return missing();
  if (fd < 0) return folder_error(error, "open", path);
  return fd;
}

OwnedDirectory::OwnedDirectory(std::string path, int fd, std::uint32_t uid, std::uint32_t gid, bool is_new)
    : path_(std::move(path)),
      fd_(fd),
      uid_(uid),
      gid_(gid),
      give_away_(::geteuid() == 0 && uid != 0),
      is_new_(is_new) {}

OwnedDirectory::OwnedDirectory(OwnedDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      uid_(other.uid_),
      gid_(other.gid_),
      present_owner_(other.present_owner_),
      give_away_(other.give_away_),
      is_new_(other.is_new_) {}

OwnedDirectory::~OwnedDirectory() {
  if (fd_ >= 0) ::close(fd_);
}

tl::unexpected<Error> OwnedDirectory::failed(int error, const char* doing, std::string_view name) const {
  return folder_error(error, doing, name.empty() ? path_ : path_ + '/' + std::string(name));
}

Result<OwnedDirectory> OwnedDirectory::checked(const std::string& path, int fd, std::uint32_t uid,
                                               std::uint32_t gid, bool is_new) {
  OwnedDirectory directory(path, fd, uid, gid, is_new);
  struct stat status;
  if (::fstat(fd, &status) != 0) return directory.failed(errno, "look at", "");
  directory.present_owner_ = status.st_uid;
  // May still be ours, if we were interrupted while creating it.
  if (status.st_uid != uid && status.st_uid != ::geteuid()) {
    return fail(ErrorKind::refused, "unsafe_job_dir",
                "will not use " + path + ": it belongs to user " + std::to_string(status.st_uid) +
                    " instead of " + std::to_string(uid),
                "remove it or give it to that user");
  }
  return directory;
}

Result<OwnedDirectory> OwnedDirectory::open_or_create(const std::string& path, std::uint32_t uid,
                                                      std::uint32_t gid) {
  const std::size_t slash = path.rfind('/');
  if (!path.starts_with('/') || slash + 1 == path.size()) {
    return fail(ErrorKind::usage, "bad_job_dir",
                "'" + path + "' is not the absolute path of a job directory");
  }
  const auto root = LUZIA_TRY(open_jobs_root(parent_of(path)));
  const char* name = path.c_str() + slash + 1;
  const bool is_new = ::mkdirat(root, name, 0700) == 0;
  const int mkdir_error = is_new ? 0 : errno;
  const int fd = is_new || mkdir_error == EEXIST
                     ? ::openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                     : -1;
  const int error = mkdir_error == 0 || mkdir_error == EEXIST ? errno : mkdir_error;
  ::close(root);
  if (fd < 0) return folder_error(error, is_new || mkdir_error == EEXIST ? "open" : "create", path);
  return checked(path, fd, uid, gid, is_new);
}

Result<OwnedDirectory> OwnedDirectory::open(const std::string& path, std::uint32_t uid, std::uint32_t gid) {
  const auto fd = LUZIA_TRY(open_job_directory(path));
  return checked(path, fd, uid, gid, /*is_new=*/false);
}

Status OwnedDirectory::fill(int fd, const char* name, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(errno, "write", name);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (give_away_ && ::fchown(fd, uid_, gid_) != 0) return failed(errno, "change the owner of", name);
  return {};
}

Status OwnedDirectory::write(const char* name, std::string_view content, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  // A directory that nobody else has seen yet holds nothing to replace. Otherwise use a name unique to this
  // thread, because another may be writing the same file.
  const std::string temporary =
      is_new_ ? name : '.' + std::string(name) + '.' + std::to_string(::gettid()) + ".new";
  int fd = ::openat(fd_, temporary.c_str(), kFlags, mode);
  if (fd < 0 && errno == EEXIST && ::unlinkat(fd_, temporary.c_str(), 0) == 0) {
    fd = ::openat(fd_, temporary.c_str(), kFlags, mode);
  }
  if (fd < 0) return failed(errno, "create", temporary);
  auto filled = fill(fd, name, content);
  ::close(fd);
  if (filled && !is_new_ && ::renameat(fd_, temporary.c_str(), fd_, name) != 0) {
    const auto error = failed(errno, "replace", name);
    ::unlinkat(fd_, temporary.c_str(), 0);
    return error;
  }
  if (!filled) ::unlinkat(fd_, temporary.c_str(), 0);
  return filled;
}

Status OwnedDirectory::create_empty(const char* name, mode_t mode) {
  const int fd = ::openat(fd_, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0 && errno == EEXIST) return {};
  if (fd < 0) return failed(errno, "create", name);
  auto owned = fill(fd, name, "");
  ::close(fd);
  return owned;
}

Result<int> OwnedDirectory::make_subdirectory(const std::string& name) {
  if (::mkdirat(fd_, name.c_str(), 0700) != 0 && errno != EEXIST) return failed(errno, "create", name);
  const int fd = ::openat(fd_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || ::fstat(fd, &status) != 0) return failed(errno, "open", name);
  const bool ours = status.st_uid == ::geteuid() || status.st_uid == uid_;
  if (!ours || (give_away_ && ::fchown(fd, uid_, gid_) != 0)) {
    const auto error = failed(ours ? errno : EPERM, "take", name);
    ::close(fd);
    return error;
  }
  return fd;
}

Status OwnedDirectory::create_folder(const std::string& name) {
  if (has(name)) return {};
  const auto made = LUZIA_TRY(make_subdirectory(name));
  ::close(made);
  return {};
}

bool OwnedDirectory::has(const std::string& name) const {
  struct stat status;
  return ::fstatat(fd_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool OwnedDirectory::holds(const char* name, std::string_view content) const {
  return read(name, content.size()) == content;
}

std::optional<std::string> OwnedDirectory::read(const char* name, std::size_t most) const {
  const int fd = ::openat(fd_, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat status;
  std::string present(most + 1, '\0');
  const bool ours = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == uid_;
  const ssize_t size = ours ? ::read(fd, present.data(), present.size()) : -1;
  ::close(fd);
  if (size < 0 || static_cast<std::size_t>(size) > most) return std::nullopt;
  present.resize(static_cast<std::size_t>(size));
  return present;
}

Status OwnedDirectory::set_aside(const std::string& name) {
  constexpr int kMostNames = 1'000;
  if (!has(name)) return {};
  for (int i = 1; i <= kMostNames; ++i) {
    const std::string aside = name + '.' + std::to_string(i);
    if (::renameat2(fd_, name.c_str(), fd_, aside.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EEXIST) break;
  }
  return failed(errno, "move aside", name);
}

Status OwnedDirectory::move_into(const char* const* names, std::size_t count, const std::string& into) {
  // Fill it under another name: so `into` exists completely or not at all.
  const std::string partial = '.' + into + ".partial";
  const bool some_left = std::any_of(names, names + count, [this](const char* name) { return has(name); });
  if (!some_left && !has(partial)) return {};
  const auto target = LUZIA_TRY(make_subdirectory(partial));
  Status moved;
  for (std::size_t i = 0; i < count && moved; ++i) {
    if (::renameat(fd_, names[i], target, names[i]) != 0 && errno != ENOENT) {
      moved = failed(errno, "move away", names[i]);
    }
  }
  ::close(target);
  if (!moved) return moved;
  LUZIA_TRY(set_aside(into));
  if (::renameat(fd_, partial.c_str(), fd_, into.c_str()) != 0) return failed(errno, "create", into);
  return {};
}

Status OwnedDirectory::copy_from(const std::string& subdirectory, const char* name) {
  constexpr std::size_t kMost = 1 << 20;
  const std::string from = subdirectory + '/' + name;
  const auto content = read(from.c_str(), kMost);
  struct stat status {};
  if (!content || ::fstatat(fd_, from.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  LUZIA_TRY(write(name, *content, 0600));
  const timespec times[] = {status.st_atim, status.st_mtim};
  if (::utimensat(fd_, name, times, AT_SYMLINK_NOFOLLOW) != 0) return failed(errno, "date", name);
  return {};
}

Status OwnedDirectory::hand_over() {
  if (give_away_ && present_owner_ != uid_ && ::fchown(fd_, uid_, gid_) != 0) {
    return failed(errno, "change the owner of", "");
  }
  return {};
}

}  // namespace luzia
