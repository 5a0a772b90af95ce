#include "adapters/job_dir/room_taken.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <set>

namespace luzia {
namespace {

constexpr int kDeepestFolder = 100;    // each open folder takes a descriptor
constexpr std::uint64_t kBlock = 512;  // unit of st_blocks, whatever the file system (stat(2))

struct RoomCount {
  dev_t device = 0;
  std::uint64_t bytes = 0;
  std::set<ino_t> seen = {};  // files with several names
};

/// Takes over the descriptor.
void count_folder(int fd, int depth, RoomCount& count) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd), ::closedir);
  if (!folder) {
    ::close(fd);
    return;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    struct stat status {};
    if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_dev != count.device)
      continue;
    if (S_ISDIR(status.st_mode)) {
      count.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
      const int below = depth == kDeepestFolder
                            ? -1
                            : ::openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (below >= 0) count_folder(below, depth + 1, count);
    } else if (status.st_nlink <= 1 || count.seen.insert(status.st_ino).second) {
      count.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
    }
  }
}

}  // namespace

std::uint64_t room_taken(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (fd < 0) return 0;
  if (::fstat(fd, &status) != 0) {
    ::close(fd);
    return 0;
  }
  RoomCount count{status.st_dev, static_cast<std::uint64_t>(status.st_blocks) * kBlock};
  count_folder(fd, 0, count);
  return count.bytes;
}

}  // namespace luzia
