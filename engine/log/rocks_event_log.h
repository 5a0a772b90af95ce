// The log over RocksDB: STORE/log with column families `groups` and `blobs`, and STORE/watermark.
// Rejected: one record per event (a third of the replay rate), a column family per index (58 % of the write
// rate).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/log/event_log.h"

namespace rocksdb {
class Env;
}

namespace luzia {

enum class OpenMode { read_write, read_only };

struct LogOptions {
  OpenMode mode = OpenMode::read_write;
  /// Creates an empty log when the store has none; otherwise `no_store` (trouble).
  bool create = true;
  /// Null: the default one. Tests give one that loses power. Outlives the log.
  rocksdb::Env* env = nullptr;
};

/// Opens and proves the end of the log: chain from the last groups, watermark not beyond the tip. Errors (all
/// trouble): `no_store`, `store_locked` (another daemon), `log_shorter_than_watermark`, `watermark_missing`,
/// `log_corrupt`, `store_format` (newer program wrote it), `store_filesystem` (NFS, CIFS, FUSE). Each says
/// what to do; none changes the store.
Result<std::unique_ptr<EventLog>> open_rocks_event_log(const std::string& store, const LogOptions& options);

/// Walks the whole chain from the base and parses every event. Stops at the first fault and names its
/// position.
struct ChainReport {
  Tip tip;
  std::uint64_t groups = 0, events = 0, bytes = 0;
};
Result<ChainReport> verify_chain(const EventLog& log, const std::function<void(Position)>& progress = {});

/// A copy of the log as it is now (RocksDB checkpoint semantics through our own reads: groups, blobs,
/// watermark), then verified. `target` must not exist or be empty. Restoring = using the copy as a store.
Result<ChainReport> backup_log(const EventLog& log, const std::string& target);

}  // namespace luzia
