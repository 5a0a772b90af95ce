#include "tools/luziad/store_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace luzia {
namespace {

constexpr off_t kBallastBytes = 32 << 20;
constexpr unsigned long long kRoomForBallast = 512ULL << 20;
constexpr unsigned long long kFull = 8ULL << 20;

unsigned long long free_bytes(const std::string& store) {
  struct statvfs status {};
  if (statvfs(store.c_str(), &status) != 0) return 0;
  return static_cast<unsigned long long>(status.f_bavail) * status.f_frsize;
}

std::string ballast_path(const std::string& store) {
  return store + "/ballast";
}

}  // namespace

Result<std::string> prepare_run_dir(const std::string& store) {
  const std::string path = store + "/run";
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(errno, "store_unwritable", "cannot make " + path);
  }
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & 077) != 0) {
    return fail(ErrorKind::trouble, "store_permissions",
                path + " is not a folder of this user with mode 0700",
                "chmod 700 " + path + ", or remove what stands in its place");
  }
  return path;
}

void keep_ballast(const std::string& store) {
  if (free_bytes(store) < kRoomForBallast) return;
  const int fd = open(ballast_path(store).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  struct stat status {};
  if (fstat(fd, &status) == 0 && status.st_size < kBallastBytes) {
    // Without it the store works as well, only not on a full disk.
    [[maybe_unused]] const int ignored = posix_fallocate(fd, 0, kBallastBytes);
  }
  close(fd);
}

bool release_ballast(const std::string& store) {
  return free_bytes(store) < kFull && unlink(ballast_path(store).c_str()) == 0;
}

}  // namespace luzia
