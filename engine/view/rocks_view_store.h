// Rows over RocksDB: STORE/views, one column family, without a write-ahead log: a crash loses the rows since
// the last table file, and the next start folds them again. `rm -r STORE/views` is always safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/log/rocks_event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

/// `path`: STORE/views, made if need be. A damaged store is cleared (rows are disposable) and `cleared` says
/// so. read_only takes no lock and changes nothing, not even a log file; its write() and clear() are refused.
/// Errors (all trouble): `views_locked` (another daemon), `no_views` and `views_unreadable` (read_only),
/// `views_failed` (disk). Damage found later, while reading: status() and write() say `views_damaged`, and
/// the next open clears. After a write that failed the store takes no more until it is opened again.
/// `env`: null for the default one; tests give one that loses power. Outlives the store.
struct OpenedViews {
  std::unique_ptr<ViewStore> store;
  bool cleared = false;
  /// Copies the rows as they are to a new folder on the same disk, which is a store of its own; its files are
  /// shared as long as both have them. Whole or not there. Any thread, also while rows are written, while
  /// `store` lives; not of read_only.
  std::function<Status(const std::string& folder)> copy = {};
};
Result<OpenedViews> open_rocks_view_store(const std::string& path, OpenMode mode,
                                          rocksdb::Env* env = nullptr);

}  // namespace luzia
