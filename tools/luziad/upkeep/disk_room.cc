#include "tools/luziad/upkeep/disk_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "engine/base/counted.h"
#include "engine/base/store_file.h"

namespace luzia {
namespace {

constexpr off_t kBallastBytes = 32 << 20;
constexpr unsigned long long kRoomForBallast = 512ULL << 20;
constexpr unsigned long long kFullBytes = 8ULL << 20;
/// What a recovery needs besides the tables: a manifest, a write-ahead log and an options file for each
/// database.
constexpr unsigned long long kRecoveryBytes = 512ULL << 10;

unsigned long long free_bytes(const std::string& store) {
  return disk_space(store).value_or(DiskSpace{}).free;
}

std::string ballast_path(const std::string& store) {
  return store + "/ballast";
}

unsigned long long write_ahead_bytes(const std::string& database) {
  unsigned long long bytes = 0;
  std::error_code error, gone;
  for (std::filesystem::directory_iterator at(database, error), end; !error && at != end;
       at.increment(error)) {
    const auto size = at->path().extension() == ".log" ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace

std::optional<DiskSpace> disk_space(const std::string& path) {
  struct statvfs status {};
  if (statvfs(path.c_str(), &status) != 0) return std::nullopt;
  const unsigned long long unit = status.f_frsize;
  DiskSpace space{status.f_bavail * unit, status.f_blocks * unit};
  space.read_only = (status.f_flag & ST_RDONLY) != 0;
  if (status.f_files != 0) space.files = status.f_favail;
  return space;
}

std::string lack_of_room(const std::string& folder) {
  std::filesystem::path place = folder;
  auto space = disk_space(place);
  while (!space && errno == ENOENT && place.has_relative_path()) {
    place = place.parent_path();
    space = disk_space(place);
  }
  if (!space) return {};
  if (space->read_only) return "the disk of " + folder + " is mounted read-only";
  const std::string where = " on the disk of " + folder;
  if (space->free < kScarceBytes) {
    return "less than " + std::to_string(kScarceBytes >> 20) + " MiB are free" + where;
  }
  if (space->files.value_or(kScarceFiles) < kScarceFiles) {
    return "less than " + grouped(kScarceFiles) + " files (inodes) can be made" + where;
  }
  return {};
}

DiskRoom disk_room(const std::string& store) {
  const DiskSpace space = disk_space(store).value_or(DiskSpace{});
  const bool has_files = space.files.value_or(kScarceFiles) >= kScarceFiles;
  if (space.read_only) return DiskRoom::scarce;
  if (space.free >= kScarceBytes) return has_files ? DiskRoom::plenty : DiskRoom::scarce;
  return access(ballast_path(store).c_str(), F_OK) == 0 ? DiskRoom::scarce : DiskRoom::spent;
}

Error no_room_for_jobs(const std::string& store) {
  return {ErrorKind::trouble, "disk_full",
          "cannot take a job: the disk of " + store + " has less than " + std::to_string(kScarceBytes >> 20) +
              " MiB free",
          "free space on that disk; what is left is kept for `luzia cancel`"};
}

void keep_ballast(const std::string& store) {
  if (free_bytes(store) < kRoomForBallast) return;
  const auto fd = open_store_file(ballast_path(store), O_CREAT | O_WRONLY);
  if (!fd) return;
  struct stat status {};
  if (fstat(*fd, &status) == 0 && status.st_size < kBallastBytes) {
    // The store works without it, just not on a full disk.
    [[maybe_unused]] const int ignored = posix_fallocate(*fd, 0, kBallastBytes);
  }
  close(*fd);
}

bool release_ballast(const std::string& store) {
  return free_bytes(store) < kFullBytes && unlink(ballast_path(store).c_str()) == 0;
}

Status need_room_to_open(const std::string& store) {
  const unsigned long long needed =
      write_ahead_bytes(store + "/log") + write_ahead_bytes(store + "/views") + kRecoveryBytes;
  const unsigned long long free = free_bytes(store);
  if (free >= needed) return {};
  return fail(ErrorKind::trouble, "disk_full",
              "cannot open " + store + ": its disk has " + std::to_string(free >> 10) + " KiB free and " +
                  std::to_string(needed >> 10) + " KiB are needed",
              "free space on that disk; running agents go on, and nothing acknowledged is lost");
}

}  // namespace luzia
