#include "engine/log/store_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/safe_folder.h"
#include "engine/base/store_file.h"

namespace luzia {
namespace {

Status make_dir(const std::string& path) {
  constexpr mode_t kUsersAlone = 0700;
  const int trouble = make_folder(path, kUsersAlone);
  if (trouble == 0) return {};
  return fail_errno(trouble, "store_unusable", "cannot create the folder " + path,
                    "give luziad a place it may write to ([store] path)");
}

/// The process that last took the lock; empty: unknown.
std::string holder_of(int fd) {
  char text[32];
  const ssize_t size = pread(fd, text, sizeof text, 0);
  std::string pid(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  pid.resize(std::min(pid.find_first_not_of("0123456789"), pid.size()));
  return pid;
}

/// Whether the process is gone, or dead while its threads or its parent have not noticed yet.
bool is_dead(const std::string& pid) {
  std::string stat(512, '\0');
  const int fd = open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT;
  const ssize_t size = read(fd, stat.data(), stat.size());
  close(fd);
  if (size < 0) return errno == ESRCH;
  // PID (NAME) STATE ...; a name may contain anything.
  const std::size_t name_end = stat.rfind(") ", static_cast<std::size_t>(size));
  return name_end != std::string::npos && (stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X');
}

/// 0 or errno. The lock of a killed process stays until its last thread has ended, which may be waiting for
/// the disk, and until a child that it has just created runs its own program.
int lock_exclusively(int fd) {
  constexpr int kMostMs = 5'000, kBetweenMs = 10;
  for (int waited = 0;; waited += kBetweenMs) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
    const int trouble = errno;
    const std::string holder = holder_of(fd);
    if (trouble != EWOULDBLOCK || waited >= kMostMs || holder.empty() || !is_dead(holder)) return trouble;
    poll(nullptr, 0, kBetweenMs);
  }
}

/// In a folder where others may create files (/tmp, /var/tmp), somebody may have been there first. What is
/// below it must be a real folder of ours, or the store would be theirs.
Status check_below_shared(const std::string& path) {
  const std::string parent = folder_above(path);
  if (parent == path || parent == ".") return {};
  struct stat above {};
  struct stat info {};
  if (stat(parent.c_str(), &above) != 0 || lstat(path.c_str(), &info) != 0) {
    return fail_errno(errno, "store_unusable", "cannot look at " + path);
  }
  const bool shared = (above.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool ours = info.st_uid == geteuid() || info.st_uid == 0;
  if (shared && (!ours || S_ISLNK(info.st_mode))) {
    return fail(ErrorKind::refused, "store_permissions",
                "cannot use the store: " + path + " lies where everybody may make files, and " +
                    (ours ? "is a symbolic link" : "belongs to user " + std::to_string(info.st_uid)),
                "name another place with [store] path, or set HOME");
  }
  return check_below_shared(parent);
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Status let_group_through(const std::string& folder, gid_t group) {
  constexpr mode_t kRights = 07777, kThrough = 0710;
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0)
    return fail_errno(errno, "store_unusable", "cannot look at " + folder);
  const mode_t rights = info.st_mode & kRights;
  if (info.st_uid != geteuid() || (rights != 0700 && rights != kThrough)) return {};
  // The group first: the old group must not get access even for a moment.
  if (chown(folder.c_str(), static_cast<uid_t>(-1), group) == 0 && chmod(folder.c_str(), kThrough) == 0)
    return {};
  return fail_errno(errno, "store_group",
                    "cannot let group " + std::to_string(group) + " ([store] group) into " + folder,
                    "the daemon's user must be in that group, or root");
}

/// Anybody who may pass through the folder could reach this entry by its name.
Status shut_entry(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || info.st_uid != geteuid()) return {};
  const bool plain = S_ISDIR(info.st_mode) || S_ISREG(info.st_mode);
  if (!plain || (info.st_mode & 0077) == 0 || chmod(path.c_str(), info.st_mode & 0700) == 0) return {};
  return fail_errno(errno, "store_permissions", "cannot keep others from " + path);
}

}  // namespace

Status prepare_store_dir(const std::string& store) {
  LUZIA_TRY(make_dir(store));
  LUZIA_TRY(check_below_shared(without_slashes(store)));
  if (const auto unsafe = unsafe_parent(store)) {
    return fail(ErrorKind::refused, "store_permissions",
                "cannot use the store " + store + ": of " + unsafe->folder + " above it, " + unsafe->why +
                    ", who could put another store in its place",
                unsafe->remedy);
  }
  struct stat info {};
  if (stat(store.c_str(), &info) != 0) return fail_errno(errno, "store_unusable", "cannot look at " + store);
  if (!S_ISDIR(info.st_mode)) return fail_errno(ENOTDIR, "store_unusable", "cannot use the store " + store);
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    return fail(ErrorKind::refused, "store_permissions",
                "the store " + store + " belongs to user " + std::to_string(info.st_uid),
                "start luziad as that user, or give it a store of its own ([store] path)");
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return fail(ErrorKind::trouble, "store_permissions", "the store " + store + " is writable by others",
              "run: chmod go-w " + store);
}

bool may_let_in(gid_t group) {
  return geteuid() == 0 || getegid() == group || group_member(group) != 0;
}

Status open_store_to_group(const std::string& store, const std::string& socket, gid_t group) {
  DIR* const folder = opendir(store.c_str());
  if (folder == nullptr) return fail_errno(errno, "store_unusable", "cannot look into " + store);
  Status shut;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || !shut) continue;
    shut = shut_entry(store + "/" + std::string(name));
  }
  closedir(folder);
  if (!shut) return shut;
  const std::string beside = folder_above(socket);
  if (beside != without_slashes(store)) {
    LUZIA_TRY(let_group_through(beside, group));
  }
  return let_group_through(store, group);
}

Result<StoreLock> StoreLock::acquire(const std::string& store) {
  const std::string path = store + "/lock";
  const int fd = LUZIA_TRY(open_store_file(path, O_RDWR | O_CREAT));
  StoreLock lock(fd);
  if (const int trouble = lock_exclusively(fd); trouble != 0) {
    if (trouble != EWOULDBLOCK) return fail_errno(trouble, "store_unusable", "cannot lock " + path);
    const std::string holder = holder_of(fd);
    return fail(
        ErrorKind::trouble, "store_locked",
        "the store " + store + " is in use by " + (holder.empty() ? "another process" : "process " + holder),
        "that is a luziad, or a luzia-query that rebuilds or salvages it: stop it or wait for its end, "
        "or name another store");
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return fail_errno(errno, "store_unusable", "cannot write " + path);
  }
  return lock;
}

Result<StoreLock> StoreLock::adopt(const std::string& store, int fd) {
  struct stat held {};
  struct stat there {};
  const bool same = fstat(fd, &held) == 0 && lstat((store + "/lock").c_str(), &there) == 0 &&
                    held.st_dev == there.st_dev && held.st_ino == there.st_ino;
  if (!same || flock(fd, LOCK_EX | LOCK_NB) != 0) return acquire(store);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return StoreLock(fd);
}

int StoreLock::keep_over_exec() const {
  fcntl(fd_, F_SETFD, 0);
  return fd_;
}

StoreLock::StoreLock(StoreLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

StoreLock::~StoreLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace luzia
