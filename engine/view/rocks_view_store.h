// Rows over RocksDB: STORE/views, one column family, WAL on and never synced. `rm -r STORE/views` is always safe.
#pragma once

#include <memory>
#include <string>

#include "engine/log/rocks_event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

/// `path`: STORE/views. A damaged store is cleared (rows are disposable) and `cleared` says so.
struct OpenedViews {
  std::unique_ptr<ViewStore> store;
  bool cleared = false;
};
Result<OpenedViews> open_rocks_view_store(const std::string& path, OpenMode mode);

}  // namespace luzia
