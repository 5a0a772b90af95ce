#include "adapters/job_dir/kept_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fstream>
#include <utility>

#include "engine/base/want_of_room.h"

namespace luzia {
namespace {

constexpr int kFollowed = O_PATH | O_NOFOLLOW | O_CLOEXEC;
constexpr int kMostLinks = 40;  // the kernel's limit
/// Distributions grant rights to groups of their own services (syslog and /var/log); those are accepted.
constexpr gid_t kFirstGroupOfPeople = 1000;

/// Owners trusted like root. In a user namespace these include accounts outside of it, which no process
/// inside can use.
bool is_root_or_outside(uid_t owner) {
  if (owner == 0) return true;
  std::ifstream map("/proc/self/uid_map"), overflow_uid("/proc/sys/kernel/overflowuid");
  unsigned long inside = 0, outside = 0, count = 0, nobody = 65534;
  map >> inside >> outside >> count;
  overflow_uid >> nobody;
  constexpr unsigned long kEverybody = 4294967295;
  return count != kEverybody && owner == nobody;
}

/// Walks from the root one step at a time and holds the current folder open.
class Walk {
 public:
  Walk(const std::string& path, std::optional<MissingFolders> create) : path_(path), create_(create) {
    put_in_front(path);
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  Result<Descriptor> run() {
    LUZIA_TRY(start_at_root());
    while (!names_.empty()) {
      const std::string name = std::move(names_.front());
      names_.pop_front();
      LUZIA_TRY(enter(name));
    }
    return std::move(fd_);
  }

 private:
  void put_in_front(std::string_view path) {
    std::deque<std::string> names;
    while (!path.empty()) {
      const std::string_view name = path.substr(0, path.find('/'));
      path.remove_prefix(std::min(name.size() + 1, path.size()));
      if (!name.empty() && name != ".") names.emplace_back(name);
    }
    names_.insert(names_.begin(), names.begin(), names.end());
  }

  Status start_at_root() {
    at_.clear();
    return stand_in(Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)));
  }

  Status stand_in(Descriptor fd) {
    if (!fd) return folder_error(errno, "open", path_);
    fd_ = std::move(fd);
    return check();
  }

  Status enter(const std::string& name) {
    Descriptor fd(::openat(fd_.get(), name.c_str(), kFollowed));
    if (!fd && errno == ENOENT && create_) fd = make(name);
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
      if (errno == ENOENT) return fail(ErrorKind::not_found, "no_folder", path_ + " does not exist");
      return folder_error(errno, "open", at_ + "/" + name);
    }
    if (S_ISLNK(status.st_mode)) return follow(fd, status, name);
    at_ = name == ".." ? at_.substr(0, at_.rfind('/')) : at_ + "/" + name;
    if (S_ISDIR(status.st_mode)) return stand_in(std::move(fd));
    return folder_error(ENOTDIR, "open", at_);
  }

  Descriptor make(const std::string& name) const {
    const mode_t mode = names_.empty() ? create_->itself : create_->above;
    if (::mkdirat(fd_.get(), name.c_str(), mode) != 0 && errno != EEXIST) return {};
    Descriptor fd(::openat(fd_.get(), name.c_str(), kFollowed));
    // Set the mode again, because the umask may have reduced it.
    if (fd) ::fchmodat(fd_.get(), name.c_str(), mode, 0);
    return fd;
  }

  Status follow(const Descriptor& fd, const struct stat& status, const std::string& name) {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(fd.get(), "", target, sizeof target);
    if (size < 0) return folder_error(errno, "read", at_ + "/" + name);
    if (++links_ > kMostLinks) return folder_error(ELOOP, "open", path_);
    if (::geteuid() == 0 && !is_root_or_outside(status.st_uid)) return unsafe(at_ + "/" + name);
    put_in_front(std::string_view(target, static_cast<std::size_t>(size)));
    return target[0] == '/' ? start_at_root() : Status();
  }

  /// A sticky folder (/tmp) is safe: our entry cannot be renamed there, and the entry's owner is checked
  /// next.
  Status check() const {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) return folder_error(errno, "look at", path_);
    const bool is_root = ::geteuid() == 0, is_last = names_.empty();
    if (!is_root && !is_last) return {};
    const bool owned =
        is_root ? is_root_or_outside(status.st_uid) : status.st_uid == ::geteuid() || status.st_uid == 0;
    mode_t others = S_IWOTH;
    if (is_root && (is_last || status.st_gid >= kFirstGroupOfPeople)) others |= S_IWGRP;
    const bool is_open = (status.st_mode & others) != 0 && (status.st_mode & S_ISVTX) == 0;
    return owned && !is_open ? Status() : unsafe(at_.empty() ? "/" : at_);
  }

  tl::unexpected<Error> unsafe(const std::string& folder) const {
    const std::string whose = ::geteuid() == 0 ? "root" : "the daemon's user";
    return fail(ErrorKind::refused, "unsafe_jobs_root",
                "will not create job directories in " + path_ + ": other users could replace " +
                    (folder == path_ ? "them" : "it, by " + folder),
                "let " + folder + " belong to " + whose +
                    " and take write permission from others (chmod go-w), or choose another [jobs] root");
  }

  const std::string& path_;
  std::optional<MissingFolders> create_;
  std::deque<std::string> names_;  // still to enter
  std::string at_;                 // the current path, for messages
  Descriptor fd_;
  int links_ = 0;
};

}  // namespace

tl::unexpected<Error> folder_error(int error, const char* doing, const std::string& path) {
  const std::string what = std::string("cannot ") + doing + ' ' + path;
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    return fail_errno(error, "out_of_resources", what, "see the limit on open files (ulimit -n) and free");
  }
  if (is_want_of_room(error)) return fail_errno(error, "out_of_resources", what, kMakeRoom);
  return fail_errno(error, "job_dir_failed", what, "check the folder's owner and mode, or [jobs] root");
}

Result<Descriptor> open_kept_folder(const std::string& path, std::optional<MissingFolders> create) {
  if (!path.starts_with('/')) {
    return fail(ErrorKind::usage, "bad_job_dir", "'" + path + "' is not an absolute path");
  }
  return Walk(path, create).run();
}

}  // namespace luzia
