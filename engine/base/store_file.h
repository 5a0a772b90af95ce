// The small files beside the store's databases: watermark, clock, notified, rollback, ballast, lock,
// luziad.log. They are opened only if they are regular files. A FIFO would block the daemon for ever, a
// device would feed it for ever, and a symbolic link would lead it elsewhere. Any thread; a few system calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

/// Upper bound of what is read from one, far above its usual size. The ballast and luziad.log are larger.
constexpr std::size_t kMostStoreFileBytes = 64 << 10;

/// Opens the file; the caller closes the descriptor. `flags`: for open(2); O_CLOEXEC, O_NOFOLLOW and
/// O_NONBLOCK are added. O_CREAT creates the file with mode 0600. Errors, both trouble: `store_file_missing`,
/// and `store_file_unusable` if something else is there or it cannot be opened.
Result<int> open_store_file(const std::string& path, int flags);

/// The whole content; nullopt: there is no such file. `store_file_unusable`, also if it is larger than
/// kMostStoreFileBytes.
Result<std::optional<std::string>> read_store_file(const std::string& path);

/// Replaces the file's content through `PATH.new`: a kill leaves the old or the new content. Errors:
/// `store_file_unusable`, `store_unwritable` (trouble).
Status write_store_file(const std::string& path, std::string_view text);

/// Copies the file into a backup; nothing happens if there is none. Errors: as both of the above.
Status copy_store_file(const std::string& name, const std::string& store, const std::string& backup);

/// Whether the existing file can be used as such a file; a missing file is fine. For callers that leave the
/// opening to a library.
Status check_store_file(const std::string& path);

/// check_store_file() for each file that a daemon opens in its store.
Status check_store_files(const std::string& store);

}  // namespace luzia
