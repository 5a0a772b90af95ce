// Rows in RocksDB: STORE/views, one column family without a write-ahead log. A crash loses the rows since the
// last table file, and the next start folds them again. `rm -r STORE/views` is always safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/log/rocks_event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

/// `path`: STORE/views, created if it does not exist. A damaged store is cleared, because rows can be
/// rebuilt, and `cleared` is set. read_only takes no lock and changes nothing, not even a log file; write()
/// and clear() are refused. `env`: null for the default one; tests pass one that simulates power loss. It
/// must outlive the store.
///
/// Errors, all trouble: `views_locked` (another daemon), `no_views` and `views_unreadable` (read_only),
/// `views_failed` (disk). If damage is found later while reading, status() and write() return
/// `views_damaged`, and the next open clears the rows. After a failed write the store accepts no more until
/// it is opened again.
struct OpenedViews {
  std::unique_ptr<ViewStore> store;
  bool cleared = false;
  /// Copies the present rows to a new folder on the same disk. The copy is a store of its own; unchanged
  /// files are shared as hard links. It is complete or does not exist. Any thread, also while rows are
  /// written, as long as `store` lives; not with read_only.
  std::function<Status(const std::string& folder)> copy = {};
};
Result<OpenedViews> open_rocks_view_store(const std::string& path, OpenMode mode,
                                          rocksdb::Env* env = nullptr);

}  // namespace luzia
