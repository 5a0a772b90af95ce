// Checks free space on the disks of store and jobs. Keeps a ballast file of 32 MiB on the store's disk, which
// is released when that disk is full. Any thread; each call is a few system calls.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

enum class DiskRoom {
  plenty,
  scarce,  // fewer than kScarceBytes or kScarceFiles free, or mounted read-only: nothing new starts
  spent,   // little space, and the ballast is released: the rest is for cancel, rm and gc
};

constexpr unsigned long long kScarceBytes = 40ULL << 20;
constexpr unsigned long long kScarceFiles = 1'000;

DiskRoom disk_room(const std::string& store);

/// A disk's bytes: available to us, and in total; and how many more files fit, if the file system counts
/// them. nullopt if the system does not say.
struct DiskSpace {
  unsigned long long free = 0, all = 0;
  std::optional<unsigned long long> files = {};
  bool read_only = false;
};
std::optional<DiskSpace> disk_space(const std::string& path);

/// "less than 40 MiB are free on the disk of /jobs", or the same for files, or that it is mounted read-only;
/// empty if there is enough. A missing folder is looked up by the nearest existing one above.
std::string lack_of_room(const std::string& folder);

/// `disk_full`, for new jobs while the space is spent.
Error no_room_for_jobs(const std::string& store);

/// Creates the ballast (again) if the disk has space for it.
void keep_ballast(const std::string& store);
/// Removes the ballast if the disk is full. Returns whether there was one.
bool release_ballast(const std::string& store);

/// `disk_full` if recovery would not fit: it writes the content of the write-ahead logs of log and views into
/// tables. Without space, RocksDB aborts there instead of failing.
Status need_room_to_open(const std::string& store);

}  // namespace luzia
