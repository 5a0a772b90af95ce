#include "adapters/socket/socket_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/base/hash.h"

namespace luzia {
namespace {

uid_t owner_of(const std::string& store) {
  struct stat status;
  return ::stat(store.c_str(), &status) == 0 ? status.st_uid : ::geteuid();
}

bool is_directory_of(const std::string& path, uid_t owner) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == owner;
}

std::string private_directory(uid_t owner) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && is_directory_of(runtime, owner)) {
    return std::string(runtime) + "/luzia";
  }
  const std::string login = "/run/user/" + std::to_string(owner);
  if (is_directory_of(login, owner)) return login + "/luzia";
  return "/tmp/luzia-" + std::to_string(owner);
}

Status check_directory(const std::string& path, uid_t owner) {
  if (owner == ::geteuid() && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(errno, "socket_directory", "making the directory of the socket, " + path);
  }
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    return fail_errno(errno, "socket_directory", "looking at the directory of the socket, " + path);
  }
  const char* wrong = !S_ISDIR(status.st_mode) ? "it is not a directory (a symbolic link is not followed)"
                      : status.st_uid != owner ? "it belongs to someone else"
                      : (status.st_mode & 0027) != 0 ? "others may write to it or look into it"
                                                     : nullptr;
  if (wrong != nullptr) {
    return fail(ErrorKind::refused, "unsafe_directory", "using " + path + " for the socket: " + wrong,
                "remove it, or use a store with a path of at most " + std::to_string(kMaxSocketPath - 7) +
                    " bytes (--store)");
  }
  return {};
}

}  // namespace

Result<std::string> socket_path(const std::string& store) {
  std::string path = store + "/socket";
  if (path.size() <= kMaxSocketPath) return path;
  std::error_code error;
  const std::string canonical = std::filesystem::weakly_canonical(store, error).string();
  const uid_t owner = owner_of(store);
  std::string directory = private_directory(owner);
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx.socket",
                static_cast<unsigned long long>(checksum64(as_bytes(error ? store : canonical))));
  // A long XDG_RUNTIME_DIR does not help.
  if (directory.size() + sizeof "/0123456789abcdef.socket" > kMaxSocketPath) {
    directory = "/tmp/luzia-" + std::to_string(owner);
  }
  LUZIA_TRY(check_directory(directory, owner));
  return directory + name;
}

std::string attempts_socket_path(const std::string& store) {
  std::string path = store + ".attempts";
  return path.size() <= kMaxSocketPath ? path : std::string();
}

std::string sandbox_door(const std::string& store) {
  std::string folder = store + "/sandbox/door";
  const std::size_t whole = folder.size() + 1 + std::string_view(kSandboxSocketName).size();
  return whole <= kMaxSocketPath ? folder : std::string();
}

std::string shut_folder_above(const std::string& path) {
  std::string shut;
  for (std::filesystem::path at = std::filesystem::path(path).parent_path(); !at.empty();
       at = at.parent_path()) {
    struct stat status;
    if (::stat(at.c_str(), &status) == 0 && (status.st_mode & S_IXOTH) == 0) shut = at.string();
    if (at == at.parent_path()) break;
  }
  return shut;
}

}  // namespace luzia
