// The log over RocksDB: STORE/log with column families `groups` and `blobs`, and STORE/watermark.
// Rejected: one record per event (a third of the replay rate), a column family per index (58 % of the write
// rate).
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/log/event_log.h"
#include "engine/log/verify_chain.h"

namespace rocksdb {
class Env;
}

namespace luzia {

enum class OpenMode { read_write, read_only };

struct LogOptions {
  OpenMode mode = OpenMode::read_write;
  /// Creates an empty log when the store has none; otherwise `no_store` (trouble). read_only never creates.
  bool create = true;
  /// A person has decided that the log is good as far as it goes, whatever the watermark says: acknowledged
  /// events may be lost. read_write writes the watermark anew.
  bool accept_end = false;
  /// read_write: the store's lock, held already by this process under another program (StoreLock::adopt).
  std::optional<int> held_lock = std::nullopt;
  /// read_only: every file of the log is held open, because a writer beside us deletes what compaction has
  /// replaced. Without it only the files that a read needs are opened, ten at most at a time: for one short
  /// question where no writer is at work. A read that meets a vanished file then fails (`log_unreadable`);
  /// opening again helps.
  bool hold_files = true;
  /// Null: the default one. Tests give one that loses power. Outlives the log.
  rocksdb::Env* env = nullptr;
};

/// Opens and proves the end of the log: chain over what recovery replayed, watermark not beyond the tip.
/// Errors (all trouble): `no_store`, `store_locked` (StoreLock), `log_shorter_than_watermark`,
/// `watermark_mismatch` (the log went another way), `watermark_missing`, `watermark_damaged` (both slots),
/// `store_unfinished` (a copy that was cut short), `log_corrupt`, `store_format` (newer program wrote it),
/// `store_filesystem` (NFS, CIFS, FUSE), `store_permissions`. Each says what to do; none changes the log.
/// read_only takes no lock, writes nothing, works beside a running writer and sees the log as of this call.
Result<std::unique_ptr<EventLog>> open_rocks_event_log(const std::string& store, const LogOptions& options);

/// Puts what lies in the write-ahead log into table files, so that the next open, for reading too, has
/// nothing to replay (up to 30 ms). At a clean stop, on the thread that appends. `log` must come from
/// open_rocks_event_log; one that is open for reading, or broken, is left as it is.
Status flush_log(EventLog& log);

/// A copy of the log as it is now (groups, blobs, watermark), then verified from start to end. `target` must
/// not exist or be empty (`target_not_empty`). `log` must come from open_rocks_event_log
/// (`backup_unsupported`). Restoring = using the copy as a store. A copy that was cut short is refused when
/// opened, and gives way to the next one; one that was stopped (`cancelled`, trouble) is removed.
Result<ChainReport> backup_log(const EventLog& log, const std::string& target,
                               const std::stop_token& stop = {});

}  // namespace luzia
