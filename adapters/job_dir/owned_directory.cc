#include "adapters/job_dir/owned_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "adapters/job_dir/kept_folder.h"
#include "engine/base/safe_folder.h"

namespace luzia {
namespace {

// Each user can pass through to their own job; nobody can list the others.
constexpr MissingFolders kJobsRoot{.itself = 0711, .above = 0755};

constexpr int kJobFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Result<Descriptor> open_jobs_root(const std::string& path) {
  return open_kept_folder(path, kJobsRoot);
}

Status check_jobs_root(const std::string& path) {
  const auto root = open_kept_folder(path);
  return root || root.error().code != "unsafe_jobs_root" ? Status() : tl::unexpected(root.error());
}

Result<Descriptor> open_job_directory(const std::string& path) {
  const auto missing = [&] { return fail(ErrorKind::not_found, "no_job_dir", path + " does not exist"); };
  auto root = open_kept_folder(folder_above(path));
  if (!root && root.error().code == "no_folder") return missing();
  if (!root) return root;
  Descriptor fd(::openat(root->get(), path.c_str() + path.rfind('/') + 1, kJobFolder));
  if (!fd && errno == ENOENT) return missing();
  if (!fd) return folder_error(errno, "open", path);
  return fd;
}

OwnedDirectory::OwnedDirectory(std::string path, Descriptor fd, std::uint32_t uid, std::uint32_t gid,
                               bool is_new)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      uid_(uid),
      gid_(gid),
      give_away_(::geteuid() == 0 && uid != 0),
      is_new_(is_new) {}

tl::unexpected<Error> OwnedDirectory::failed(int error, const char* doing, std::string_view name) const {
  return folder_error(error, doing, name.empty() ? path_ : path_ + '/' + std::string(name));
}

Result<OwnedDirectory> OwnedDirectory::checked(const std::string& path, Descriptor fd, std::uint32_t uid,
                                               std::uint32_t gid, bool is_new) {
  OwnedDirectory directory(path, std::move(fd), uid, gid, is_new);
  struct stat status;
  if (::fstat(directory.fd_.get(), &status) != 0) return directory.failed(errno, "look at", "");
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
  const auto root = LUZIA_TRY(open_jobs_root(folder_above(path)));
  const char* name = path.c_str() + slash + 1;
  const bool is_new = ::mkdirat(root.get(), name, 0700) == 0;
  if (!is_new && errno != EEXIST) return folder_error(errno, "create", path);
  Descriptor fd(::openat(root.get(), name, kJobFolder));
  if (!fd) return folder_error(errno, "open", path);
  return checked(path, std::move(fd), uid, gid, is_new);
}

Result<OwnedDirectory> OwnedDirectory::open(const std::string& path, std::uint32_t uid, std::uint32_t gid) {
  auto fd = LUZIA_TRY(open_job_directory(path));
  return checked(path, std::move(fd), uid, gid, /*is_new=*/false);
}

Status OwnedDirectory::fill(const Descriptor& fd, const char* name, std::string_view content) {
  if (!write_fully(fd.get(), content)) return failed(errno, "write", name);
  if (give_away_ && ::fchown(fd.get(), uid_, gid_) != 0) return failed(errno, "change the owner of", name);
  return {};
}

Status OwnedDirectory::write(const char* name, std::string_view content, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  // A directory that nobody else has seen yet holds nothing to replace. Otherwise use a name unique to this
  // thread, because another may be writing the same file.
  const std::string temporary =
      is_new_ ? name : '.' + std::string(name) + '.' + std::to_string(::gettid()) + ".new";
  Descriptor fd(::openat(fd_.get(), temporary.c_str(), kFlags, mode));
  if (!fd && errno == EEXIST && ::unlinkat(fd_.get(), temporary.c_str(), 0) == 0) {
    fd.reset(::openat(fd_.get(), temporary.c_str(), kFlags, mode));
  }
  if (!fd) return failed(errno, "create", temporary);
  auto filled = fill(fd, name, content);
  if (filled && !is_new_ && ::renameat(fd_.get(), temporary.c_str(), fd_.get(), name) != 0) {
    const auto error = failed(errno, "replace", name);
    ::unlinkat(fd_.get(), temporary.c_str(), 0);
    return error;
  }
  if (!filled) ::unlinkat(fd_.get(), temporary.c_str(), 0);
  return filled;
}

Status OwnedDirectory::create_empty(const char* name, mode_t mode) {
  const Descriptor fd(::openat(fd_.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd && errno == EEXIST) return {};
  return fd ? fill(fd, name, "") : failed(errno, "create", name);
}

Result<Descriptor> OwnedDirectory::make_subdirectory(const std::string& name) {
  if (::mkdirat(fd_.get(), name.c_str(), 0700) != 0 && errno != EEXIST) return failed(errno, "create", name);
  Descriptor fd(::openat(fd_.get(), name.c_str(), kJobFolder));
  struct stat status;
  if (!fd || ::fstat(fd.get(), &status) != 0) return failed(errno, "open", name);
  const bool ours = status.st_uid == ::geteuid() || status.st_uid == uid_;
  if (!ours || (give_away_ && ::fchown(fd.get(), uid_, gid_) != 0)) {
    return failed(ours ? errno : EPERM, "take", name);
  }
  return fd;
}

Status OwnedDirectory::create_folder(const std::string& name) {
  if (has(name)) return {};
  LUZIA_TRY(make_subdirectory(name));
  return {};
}

bool OwnedDirectory::has(const std::string& name) const {
  struct stat status;
  return ::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool OwnedDirectory::holds(const char* name, std::string_view content) const {
  return read(name, content.size()) == content;
}

std::optional<std::string> OwnedDirectory::read(const char* name, std::size_t most) const {
  const Descriptor fd(::openat(fd_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  const bool ours = fd && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == uid_;
  auto present = ours ? read_up_to(fd.get(), most + 1) : std::nullopt;
  return present && present->size() <= most ? std::move(present) : std::nullopt;
}

Status OwnedDirectory::set_aside(const std::string& name) {
  constexpr int kMostNames = 1'000;
  if (!has(name)) return {};
  for (int i = 1; i <= kMostNames; ++i) {
    const std::string aside = name + '.' + std::to_string(i);
    if (::renameat2(fd_.get(), name.c_str(), fd_.get(), aside.c_str(), RENAME_NOREPLACE) == 0) return {};
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
    if (::renameat(fd_.get(), names[i], target.get(), names[i]) != 0 && errno != ENOENT) {
      moved = failed(errno, "move away", names[i]);
    }
  }
  if (!moved) return moved;
  LUZIA_TRY(set_aside(into));
  if (::renameat(fd_.get(), partial.c_str(), fd_.get(), into.c_str()) != 0)
    return failed(errno, "create", into);
  return {};
}

Status OwnedDirectory::copy_from(const std::string& subdirectory, const char* name) {
  constexpr std::size_t kMost = 1 << 20;
  const std::string from = subdirectory + '/' + name;
  const auto content = read(from.c_str(), kMost);
  struct stat status {};
  if (!content || ::fstatat(fd_.get(), from.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  LUZIA_TRY(write(name, *content, 0600));
  const timespec times[] = {status.st_atim, status.st_mtim};
  if (::utimensat(fd_.get(), name, times, AT_SYMLINK_NOFOLLOW) != 0) return failed(errno, "date", name);
  return {};
}

Status OwnedDirectory::hand_over() {
  if (give_away_ && present_owner_ != uid_ && ::fchown(fd_.get(), uid_, gid_) != 0) {
    return failed(errno, "change the owner of", "");
  }
  return {};
}

}  // namespace luzia
