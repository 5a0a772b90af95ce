#include "engine/base/safe_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/account.h"

namespace luzia {
namespace {

constexpr mode_t kParentMode = 0755;

/// Creates one folder and makes its entry in the parent durable.
int make_one(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return errno;
  if (::chmod(path.c_str(), mode) != 0) return errno;
  const int above = ::open(folder_above(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int trouble = above >= 0 && ::fsync(above) == 0 ? 0 : errno;
  if (above >= 0) ::close(above);
  return trouble;
}

/// In a user namespace, owners without a number there appear as this one: mostly root, owning the folders
/// above.
bool is_owner_unknown(uid_t owner) {
  constexpr uid_t kOverflow = 65534;
  if (owner != kOverflow) return false;
  unsigned inside = 0, outside = 0, count = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> map(std::fopen("/proc/self/uid_map", "re"), &std::fclose);
  const bool read = map != nullptr && std::fscanf(map.get(), "%u %u %u", &inside, &outside, &count) == 3;
  return read && count != ~0U;
}

/// Root's group, or the private group that many systems give each user.
bool is_own_group(gid_t group) {
  if (group == 0) return true;
  const auto user = account_of(::geteuid());
  return user && user->group == group && user->name == group_name(group);
}

std::optional<UnsafeParent> look_at(const std::string& folder) {
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  if (status.st_uid != 0 && status.st_uid != ::geteuid() && !is_owner_unknown(status.st_uid)) {
    return UnsafeParent{folder, "it belongs to user " + std::to_string(status.st_uid),
                        "name a place below folders of your own"};
  }
  if ((status.st_mode & S_ISVTX) != 0) return std::nullopt;
  if ((status.st_mode & S_IWOTH) != 0)
    return UnsafeParent{folder, "others may write to it", "chmod go-w " + folder};
  if ((status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid)) {
    return UnsafeParent{folder, "group " + std::to_string(status.st_gid) + " may write to it",
                        "chmod g-w " + folder};
  }
  return std::nullopt;
}

}  // namespace

std::string folder_above(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  if (end == std::string::npos) return "/";
  const auto slash = path.rfind('/', end);
  if (slash == std::string::npos) return ".";
  const auto last = path.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : path.substr(0, last + 1);
}

int make_folder(const std::string& path, mode_t mode) {
  int trouble = make_one(path, mode);
  if (trouble == ENOENT && path != folder_above(path)) {
    if (const int above = make_folder(folder_above(path), kParentMode); above != 0) return above;
    trouble = make_one(path, mode);
  }
  return trouble == EEXIST ? 0 : trouble;
}

std::optional<UnsafeParent> unsafe_parent(const std::string& path) {
  std::vector<std::string> folders;
  std::string there = path;
  const auto real = [](const std::string& at) {
    const std::unique_ptr<char, void (*)(void*)> found(::realpath(at.c_str(), nullptr), &std::free);
    return found == nullptr ? std::string() : std::string(found.get());
  };
  while (real(there).empty() && there != folder_above(there)) there = folder_above(there);
  if (there != path) folders.push_back(real(there));  // a missing path will be created in this folder
  for (std::string at = real(there); !at.empty() && at != folder_above(at); at = folder_above(at))
    folders.push_back(folder_above(at));
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (auto unsafe = look_at(*folder)) return unsafe;
  }
  return std::nullopt;
}

}  // namespace luzia
