// The small files beside the store's databases (watermark, clock, notified, rollback, ballast, lock,
// luziad.log): opened only where they are files. A FIFO would hold the daemon for ever, a device would feed
// it for ever, and a symbolic link would lead it elsewhere. Any thread; a few system calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

/// What each of them has room for many times over; the ballast and luziad.log are larger.
constexpr std::size_t kMostStoreFileBytes = 64 << 10;

/// A descriptor for the file, which the caller closes. `flags`: of open(2), to which O_CLOEXEC, O_NOFOLLOW
/// and O_NONBLOCK are added; a file that O_CREAT makes has mode 0600. Errors: `store_file_missing` and
/// `store_file_unusable` (something else is there, or it cannot be opened), both trouble.
Result<int> open_store_file(const std::string& path, int flags);

/// All of it; nullopt where there is none. `store_file_unusable`, also where it is larger than
/// kMostStoreFileBytes.
Result<std::optional<std::string>> read_store_file(const std::string& path);

/// Puts `text` in its place, by `PATH.new`: a kill leaves the old one or the new one. `store_file_unusable`,
/// `store_unwritable` (trouble).
Status write_store_file(const std::string& path, std::string_view text);

/// Whether what is there can be used as such a file at all; nothing there is fine. For who leaves the opening
/// to a library.
Status check_store_file(const std::string& path);

/// check_store_file() of each file that a daemon opens in its store.
Status check_store_files(const std::string& store);

}  // namespace luzia
