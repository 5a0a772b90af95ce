#include "adapters/job_dir/remove_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "adapters/job_dir/owned_directory.h"
#include "engine/base/cancelled.h"

namespace luzia {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// The owner may have removed all permissions. If we cannot restore them, the next call fails.
void make_accessible(int parent, const char* name) {
  const Descriptor there(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (there) (void)::chmod(("/proc/self/fd/" + std::to_string(there.get())).c_str(), 0700);
}

bool is_folder(int parent, const char* name) {
  struct stat status {};
  return ::fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

/// Calls `visit` with each name; it returns false to stop.
template <class Visit>
void each_name(int folder, const Visit& visit) {
  const int copy = ::openat(folder, ".", kFolder);
  const std::unique_ptr<DIR, CloseDir> dir(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!dir) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !visit(entry->d_name)) return;
  }
}

/// The folder `.removing-<id>` and what is being emptied in it.
class Bin {
 public:
  Bin(int folder, std::string path, const std::stop_token& stop)
      : folder_(folder), path_(std::move(path)), stop_(stop) {}

  /// Moves the entry of that name into the bin; a missing entry is no error.
  Status take(int parent, const char* name) {
    make_accessible(parent, name);
    for (;;) {
      const std::string place = std::to_string(next_);
      if (::renameat(parent, name, folder_, place.c_str()) == 0) return {};
      const int error = errno;
      if (error == ENOENT) return {};
      const bool is_taken = error == EEXIST || error == ENOTEMPTY || error == ENOTDIR || error == EISDIR;
      if (!is_taken) return cannot(error, name);
      ++next_;
    }
  }

  /// Repeats until nothing is left, or nothing more can be removed.
  Status empty() {
    for (bool more = true; more && !stop_.stop_requested();) {
      more = false;
      first_ = Status();
      each_name(folder_, [&](const char* name) {
        more = remove(name) || more;
        return !stop_.stop_requested();
      });
    }
    return stop_.stop_requested() ? cancelled("removing " + path_) : first_;
  }

 private:
  /// Returns whether something was removed.
  bool remove(const char* name) {
    if (::unlinkat(folder_, name, 0) == 0) return true;
    if (const int error = errno; !is_folder(folder_, name)) return keep(error, name);
    const bool went = remove_content(name);
    if (::unlinkat(folder_, name, AT_REMOVEDIR) == 0) return true;
    if (!went) keep(errno, name);
    return went;
  }
  /// Empties a folder in the bin. Moves its subfolders up beside it.
  bool remove_content(const char* folder) {
    make_accessible(folder_, folder);
    const Descriptor there(::openat(folder_, folder, kFolder));
    if (!there) return keep(errno, folder);
    bool went = false;
    each_name(there.get(), [&](const char* name) {
      if (::unlinkat(there.get(), name, 0) == 0) {
        went = true;
      } else if (const int error = errno; !is_folder(there.get(), name)) {
        keep(error, name);
      } else if (::unlinkat(there.get(), name, AT_REMOVEDIR) == 0) {
        went = true;
      } else if (Status moved = take(there.get(), name); moved) {
        went = true;
      } else if (first_) {
        first_ = std::move(moved);
      }
      return !stop_.stop_requested();
    });
    return went;
  }
  bool keep(int error, const char* name) {
    if (first_) first_ = cannot(error, name);
    return false;
  }
  tl::unexpected<Error> cannot(int error, const char* name) const {
    const char* what = error == EBUSY   ? "take the mount away (umount)"
                       : error == EPERM ? "see whether it is immutable (lsattr, chattr -i)"
                                        : "see what holds it";
    return fail_errno(error, "job_dir_failed", "cannot remove '" + std::string(name) + "' in " + path_,
                      std::string(what) + "; luziad tries again every hour and at its start");
  }

  int folder_;
  std::string path_;
  const std::stop_token& stop_;
  std::uint64_t next_ = 0;
  Status first_;  // the first failure of this round
};

/// Opens `.removing-<id>` for a new or interrupted removal; not open: neither it nor the directory exists.
Result<Descriptor> open_bin(int root, const std::string& name, const std::string& bin,
                            const std::string& path) {
  struct stat status {};
  const bool begun = ::fstatat(root, bin.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  const bool there = ::fstatat(root, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (!begun && !there) return Descriptor();
  if (!begun && ::mkdirat(root, bin.c_str(), 0700) != 0) {
    return fail_errno(errno, "job_dir_failed", "cannot make " + path, "check the owner of [jobs] root");
  }
  Descriptor opened(::openat(root, bin.c_str(), kFolder));
  if (opened && ::fstat(opened.get(), &status) == 0 && status.st_uid == ::geteuid()) return opened;
  return fail(ErrorKind::refused, "unsafe_job_dir", "will not use " + path + ": it is not a folder of ours",
              "remove what stands there");
}

void measure(int folder, int depth, DirSize& size) {
  constexpr int kDeepest = 16;
  constexpr std::uint64_t kMostFiles = 10'000;
  each_name(folder, [&](const char* name) {
    struct stat status {};
    if (size.files == kMostFiles) size.whole = false;
    if (!size.whole || ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return size.whole;
    ++size.files;
    size.bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    if (!S_ISDIR(status.st_mode)) return true;
    const Descriptor below(depth == kDeepest ? -1 : ::openat(folder, name, kFolder));
    struct stat entered {};
    const bool same_disk = below && ::fstat(below.get(), &entered) == 0 && entered.st_dev == status.st_dev;
    if (same_disk) measure(below.get(), depth + 1, size);
    if (!below) size.whole = false;
    return true;
  });
}

}  // namespace

Status remove_job_dir(const std::string& path, const std::stop_token& stop) {
  const std::size_t slash = path.rfind('/');
  if (!path.starts_with('/') || slash + 1 == path.size()) {
    return fail(ErrorKind::usage, "bad_job_dir",
                "'" + path + "' is not the absolute path of a job directory");
  }
  const std::string jobs = slash == 0 ? "/" : path.substr(0, slash), name = path.substr(slash + 1);
  if (::access(jobs.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  const auto root = LUZIA_TRY(open_jobs_root(jobs));
  const std::string own = ".removing-" + name, own_path = jobs + '/' + own;
  const auto folder = LUZIA_TRY(open_bin(root.get(), name, own, own_path));
  if (!folder) return {};
  Bin bin(folder.get(), own_path, stop);
  LUZIA_TRY(bin.take(root.get(), name.c_str()));
  LUZIA_TRY(bin.empty());
  if (::unlinkat(root.get(), own.c_str(), AT_REMOVEDIR) == 0) return {};
  return fail_errno(errno, "job_dir_failed", "cannot remove " + own_path);
}

DirSize measure_job_dir(const std::string& path) {
  DirSize size;
  const Descriptor folder(::open(path.c_str(), kFolder));
  if (folder) measure(folder.get(), 0, size);
  return size;
}

}  // namespace luzia
