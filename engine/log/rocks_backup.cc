// Backup: copies all rows from a snapshot, so that it can run beside appends, then verifies the whole copy.
#include <rocksdb/env.h>

#include <filesystem>
#include <functional>

#include "engine/base/cancelled.h"
#include "engine/log/rocks_error.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_log.h"
#include "engine/log/rocks_new_store.h"

namespace luzia {
namespace {

/// A snapshot that is released at the end of the scope.
class Snapshot {
 public:
  explicit Snapshot(rocksdb::DB& db) : db_(db), snapshot_(db.GetSnapshot()) {}
  ~Snapshot() { db_.ReleaseSnapshot(snapshot_); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  rocksdb::ReadOptions read() const {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot_;
    options.fill_cache = false;
    return options;
  }

 private:
  rocksdb::DB& db_;
  const rocksdb::Snapshot* snapshot_;
};

using PutRow = std::function<Status(const rocksdb::Slice& key, const rocksdb::Slice& value)>;

/// Copies rows up to `until`.
Status copy_rows(rocksdb::Iterator& from, Position until, const std::string& target, const PutRow& put,
                 const std::stop_token& stop) {
  for (from.SeekToFirst(); from.Valid() && key_position(from.key()) <= until; from.Next()) {
    if (stop.stop_requested()) return cancelled("copying the log to " + target);
    LUZIA_TRY(put(from.key(), from.value()));
  }
  if (!from.status().ok())
    return rocks_failure(from.status(), "backup_failed", "cannot copy the log to " + target);
  return {};
}

Status copy_log(const RocksLog& log, NewStore& copy, const std::string& target, const std::stop_token& stop) {
  const Tip tip = log.tip();
  const Snapshot snapshot(log.db().db());
  const std::unique_ptr<rocksdb::Iterator> groups(
      log.db().db().NewIterator(snapshot.read(), log.db().groups()));
  const std::unique_ptr<rocksdb::Iterator> blobs(
      log.db().db().NewIterator(snapshot.read(), log.db().blobs()));
  const auto put_group = [&](const auto& key, const auto& value) { return copy.put_group(key, value); };
  const auto put_blobs = [&](const auto& key, const auto& value) { return copy.put_blobs(key, value); };
  auto copied = copy_rows(*groups, tip.position, target, put_group, stop);
  if (copied) copied = copy_rows(*blobs, tip.position, target, put_blobs, stop);
  return copied ? copy.finish(tip) : copied;
}

/// Closes the copy in every case.
Result<ChainReport> copy_and_verify(const RocksLog& log, NewStore copy, const std::string& target,
                                    const std::stop_token& stop) {
  LUZIA_TRY(copy_log(log, copy, target, stop));
  auto opened = LUZIA_TRY(open_rocks_event_log(target, {.create = false, .env = log.env()}));
  return verify_chain(*opened, {}, stop);
}

}  // namespace

Result<ChainReport> backup_log(const EventLog& log, const std::string& target, const std::stop_token& stop) {
  const auto* rocks = dynamic_cast<const RocksLog*>(&log);
  if (!rocks) {
    return fail(ErrorKind::trouble, "backup_unsupported", "cannot copy a log that does not lie in a store");
  }
  auto copy =
      LUZIA_TRY(NewStore::create(target, rocks->env(), "backup_failed", "cannot copy the log to " + target));
  auto report = copy_and_verify(*rocks, std::move(copy), target, stop);
  if (!report && stop.stop_requested()) {
    // The folder was empty before, so everything in it was made here.
    std::error_code ignored;
    std::filesystem::remove_all(target, ignored);
  }
  return report;
}

}  // namespace luzia
