#include "adapters/socket/listener.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace luzia {
namespace {

/// Why the content of `folder` may belong to someone other than the listener; empty: it is the listener's.
std::string doubt_of(const std::filesystem::path& folder, uid_t listener) {
  uid_t below = listener;
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    struct stat status;
    if (::lstat(at.c_str(), &status) != 0) return "who may write to " + at.string() + " is unknown";
    // In a sticky folder of root's (/tmp), other users cannot move entries of the listener or root.
    const bool kept = at != folder && (status.st_mode & S_ISVTX) != 0 && status.st_uid == 0 &&
                      (below == listener || below == 0);
    if (!kept && (status.st_mode & S_IWOTH) != 0) return "anybody may write to " + at.string();
    if (at == folder && status.st_uid != listener) {
      return at.string() + " belongs to user " + std::to_string(status.st_uid);
    }
    if (at == at.root_path()) return {};
    below = status.st_uid;
  }
}

}  // namespace

Status check_listener(const std::string& path, uid_t listener) {
  if (listener == 0 || listener == ::geteuid()) return {};
  std::error_code error;
  const auto folder = std::filesystem::canonical(std::filesystem::path(path).parent_path(), error);
  const std::string doubt = error ? "its folder cannot be found" : doubt_of(folder, listener);
  if (doubt.empty()) return {};
  return fail(
      ErrorKind::refused, "socket_untrusted",
      "not talking to " + path + ": user " + std::to_string(listener) + " listens there, and " + doubt,
      "use a store in a folder of your own (--store), or unset LUZIA_STORE and LUZIA_SOCKET");
}

}  // namespace luzia
