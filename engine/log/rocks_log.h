// The open log: a RocksDB, its watermark and the writer's lock. Made by open_rocks_event_log().
#pragma once

#include <rocksdb/iterator.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/log/rocks_log_db.h"
#include "engine/log/rocks_watermark.h"
#include "engine/log/store_dir.h"

namespace luzia {

/// What only a writer has.
struct LogWriter {
  StoreLock lock;
  RocksWatermark watermark;
};

class RocksLog : public EventLog {
 public:
  /// `writer` empty: read-only.
  RocksLog(std::unique_ptr<RocksLogDb> db, Tip tip, rocksdb::Env* env, std::optional<LogWriter> writer);

  Tip tip() const override;
  Tip base() const override { return {}; }
  Result<std::shared_ptr<const Group>> append(const PendingGroup& group) override;
  std::unique_ptr<GroupCursor> read_from(Position first) const override;
  Result<std::optional<StoredEvent>> event(Position position) const override;
  Status visit_text_row(Position event, const std::function<void(std::string_view)>& visit) const override;
  Status erase_blob(Position event, std::uint32_t index) override;
  Status drop_erased() override;
  Status sync_watermark() override;
  Status flush();  // see flush_log()

  const RocksLogDb& db() const { return *db_; }
  rocksdb::Env* env() const { return env_; }

 private:
  Status check_writable() const;
  Status broken_if_failed(Status status);
  /// An iterator on the row with the texts of the event's group. If that group has none, it is on an earlier
  /// group's row or not valid.
  Result<std::unique_ptr<rocksdb::Iterator>> text_row(Position event) const;

  std::optional<LogWriter> writer_;  // outlives db_: the lock is released last
  std::unique_ptr<RocksLogDb> db_;
  rocksdb::Env* env_;
  rocksdb::WriteBatch batch_;  // commit thread only
  std::atomic<bool> broken_ = false;
  mutable std::mutex tip_mutex_;
  Tip tip_;  // under tip_mutex_
  std::mutex erase_mutex_;
  std::set<Position> erased_rows_;  // under erase_mutex_: groups whose old rows are still in table files
};

}  // namespace luzia
