// Where the daemon of a store listens. Daemon and client must come to the same answer. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Longest path that fits sockaddr_un.
constexpr std::size_t kMaxSocketPath = 107;

/// `STORE/socket`, or, when that is over kMaxSocketPath, a name made from the store's path in the private
/// directory `luzia` under $XDG_RUNTIME_DIR, else /run/user/UID, else `luzia-UID` under /tmp. Without
/// XDG_RUNTIME_DIR (cron) /run/user/UID is tried so that the answer does not depend on how one logged in. UID
/// is the store's owner. The directory is made (0700) when the caller is that owner. `unsafe_directory`
/// (refused) when it belongs to someone else, is a symbolic link, or others may write to it.
Result<std::string> socket_path(const std::string& store);

/// Where a daemon of root listens to the attempts of other users: beside the store, `STORE.attempts`. Empty:
/// that is over kMaxSocketPath.
std::string attempts_socket_path(const std::string& store);

/// The topmost folder above `path` that does not let users pass who are neither its owner nor of its group;
/// empty: none.
std::string shut_folder_above(const std::string& path);

}  // namespace luzia
