// The log on RocksDB: STORE/log with the column families `groups` and `blobs`, and STORE/watermark.
//
// Rejected: one record per event (a third of the replay rate); a column family per index (58 % of the write
// rate).
#pragma once

#include <functional>
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
  /// Creates an empty log if the store has none; otherwise `no_store` (trouble). read_only never creates one.
  bool create = true;
  /// A person decided to accept the log as it is, whatever the watermark says; acknowledged events may be
  /// lost. read_write then rewrites the watermark.
  bool accept_end = false;
  /// read_write: the descriptor of the store's lock, if this process already held it before an exec
  /// (StoreLock::adopt).
  std::optional<int> held_lock = std::nullopt;
  /// read_only: holds every table file open, because a writer beside it deletes files that a compaction
  /// replaced. False: opens only the files that a read needs, at most ten at a time, for one short query
  /// while no writer works. A read that needs a deleted file then fails (`log_unreadable`); opening the log
  /// again helps.
  bool hold_files = true;
  /// Null: the default one. Tests pass one that simulates power loss. Must outlive the log.
  rocksdb::Env* env = nullptr;
  /// read_write: called once the store is locked and the log proved, before it is opened for writing. That
  /// mostly waits for syncs, so the caller can open more of the store meanwhile. Not called after a refusal.
  std::function<void()> proved = {};
};

/// Opens the log and verifies its end: the chain over what recovery replayed, and that the watermark is not
/// beyond the tip. read_only takes no lock, writes nothing, works beside a running writer and sees the log as
/// of this call. Each error says what to do, and none changes the log. Errors, all trouble:
/// - `no_store`; `store_locked` (see StoreLock)
/// - `log_shorter_than_watermark`; `watermark_mismatch` (other history than the log); `watermark_missing`;
///   `watermark_damaged` (both slots)
/// - `store_unfinished` (an interrupted copy); `log_corrupt`; `store_format` (a newer program wrote it)
/// - `store_filesystem` (NFS, CIFS, FUSE); `store_permissions`
Result<std::unique_ptr<EventLog>> open_rocks_event_log(const std::string& store, const LogOptions& options);

/// Moves the content of the write-ahead log into table files, so that the next open, also for reading, has
/// nothing to replay (up to 30 ms). Call it at a clean stop, on the thread that appends. `log` must come from
/// open_rocks_event_log; a log that is open for reading or broken is left unchanged.
Status flush_log(EventLog& log);

/// Copies the log in its present state (groups, blobs, watermark), then verifies the whole copy. To restore
/// it, use the copy as a store. `target` must be missing or empty (`target_not_empty`). `log` must come from
/// open_rocks_event_log (`backup_unsupported`). An interrupted copy is refused when opened, and the next
/// backup replaces it. A stopped one (`cancelled`, trouble) is removed.
Result<ChainReport> backup_log(const EventLog& log, const std::string& target,
                               const std::stop_token& stop = {});

/// The end of the last group that ends at or before `until`; the base if there is none.
Result<Tip> last_group_end(const EventLog& log, Position until);

/// The file in an archive by which it refuses to be opened for writing (`store_is_archive`): what was queued
/// at its end would run again.
constexpr char kArchiveMark[] = "/archive";
/// As backup_log(), but only of the groups that end at or before `until`: a log of its own, which this one
/// continues. Texts that were erased after its end are lost in it. `nothing_to_archive` (refused): there is
/// no such group.
Result<ChainReport> archive_log(const EventLog& log, Position until, const std::string& target,
                                const std::stop_token& stop = {});

}  // namespace luzia
