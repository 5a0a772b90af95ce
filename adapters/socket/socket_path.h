// Where the daemon of a store listens. Daemon and client must compute the same path. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// The longest path that fits sockaddr_un.
constexpr std::size_t kMaxSocketPath = 107;

/// `STORE/socket`. If that exceeds kMaxSocketPath: a name derived from the store's path, in the private
/// directory `luzia` under $XDG_RUNTIME_DIR, else /run/user/UID, else `luzia-UID` under /tmp. /run/user/UID
/// is tried even without XDG_RUNTIME_DIR (cron), so that the path does not depend on how a user logged in.
/// UID is the store's owner. If the caller is that owner, creates the directory (0700). `unsafe_directory`
/// (refused): it belongs to another user, is a symbolic link, or others may write to it.
Result<std::string> socket_path(const std::string& store);

/// Where root's daemon listens to other users' attempts: `STORE.attempts`, beside the store. Empty: the path
/// would exceed kMaxSocketPath.
std::string attempts_socket_path(const std::string& store);

/// The folder of the daemon's socket for attempts in a sandbox, which see nothing else of the store; the
/// socket in it is called kSandboxSocketName. A folder, because a new daemon makes a new socket. Everyone may
/// enter it, but only in a sandbox can others than the store's user reach it: the folder around it is shut.
/// Empty: the path would exceed kMaxSocketPath.
std::string sandbox_door(const std::string& store);
constexpr const char* kSandboxSocketName = "socket";

/// The topmost folder above `path` that users who are neither its owner nor in its group cannot pass through;
/// empty: none.
std::string shut_folder_above(const std::string& path);

}  // namespace luzia
