// Room on the disks of store and jobs, and the ballast: 32 MiB kept back so that there is something to give
// when the store's disk is full. Any thread; each call is a few system calls.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

enum class DiskRoom {
  plenty,
  scarce,  // less than kScarceBytes or kScarceFiles free, or mounted read-only: nothing new starts
  spent,   // few bytes, and the ballast is given up: what is left is for cancel, rm and gc
};

constexpr unsigned long long kScarceBytes = 40ULL << 20;
constexpr unsigned long long kScarceFiles = 1'000;

DiskRoom disk_room(const std::string& store);

/// Bytes of a disk: free for us, and all; and how many files can still be made, where it counts them. nullopt
/// where the system does not tell.
struct DiskSpace {
  unsigned long long free = 0, all = 0;
  std::optional<unsigned long long> files = {};
  bool read_only = false;
};
std::optional<DiskSpace> disk_space(const std::string& path);

/// "less than 40 MiB are free on the disk of /jobs", or the same of files, or that it is mounted read-only;
/// empty where there is enough. A folder that is not there yet will be on the disk of the one above.
std::string lack_of_room(const std::string& folder);

/// `disk_full`, for jobs that are asked for while the room is spent.
Error no_room_for_jobs(const std::string& store);

/// Takes the ballast (again) while the disk has room for it.
void keep_ballast(const std::string& store);
/// Gives it up if the disk is full. Whether there was any to give.
bool release_ballast(const std::string& store);

/// `disk_full` when recovery, which writes what the write-ahead logs of log and views hold into tables, would
/// not fit: RocksDB aborts there instead of failing.
Status need_room_to_open(const std::string& store);

}  // namespace luzia
