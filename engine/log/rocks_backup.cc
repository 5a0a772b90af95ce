// Backup: a copy of all rows through a snapshot, so that it can run beside appends, then a full verification.
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/cancelled.h"
#include "engine/log/rocks_error.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_log.h"

namespace luzia {
namespace {

constexpr std::size_t kBatchBytes = 4 << 20;

tl::unexpected<Error> failed(const rocksdb::Status& status, const std::string& target) {
  return rocks_failure(status, "backup_failed", "cannot copy the log to " + target);
}

Status check_target(rocksdb::Env& env, const std::string& target) {
  std::vector<std::string> names;
  const auto status = env.GetChildren(target, &names);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};
  if (!status.ok()) return failed(status, target);
  if (std::ranges::all_of(names, [](const std::string& name) { return name == "." || name == ".."; }))
    return {};
  return fail(ErrorKind::trouble, "target_not_empty",
              "cannot copy the log to " + target + ": it is not empty",
              "name a folder that does not exist yet");
}

/// A snapshot that is given back.
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

rocksdb::Status copy_rows(rocksdb::Iterator& from, Position until, rocksdb::DB& to,
                          rocksdb::ColumnFamilyHandle* family, const std::stop_token& stop) {
  rocksdb::WriteBatch batch(0, 0, 8, 0);
  rocksdb::Status status;
  for (from.SeekToFirst(); status.ok() && from.Valid() && key_position(from.key()) <= until; from.Next()) {
    if (stop.stop_requested()) return rocksdb::Status::Aborted();
    status = batch.Put(family, from.key(), from.value());
    if (status.ok() && batch.GetDataSize() >= kBatchBytes) {
      status = to.Write({}, &batch);
      batch.Clear();
    }
  }
  if (status.ok()) status = from.status();
  return status.ok() ? to.Write({}, &batch) : status;
}

Status copy_log(const RocksLog& log, const Tip& tip, const std::string& target, const std::stop_token& stop) {
  auto copy = RocksLogDb::open(target + "/log", OpenMode::read_write, log.env());
  if (!copy) return tl::unexpected(copy.error());
  rocksdb::DB& to = (*copy)->db();
  const Snapshot snapshot(log.db().db());
  const std::unique_ptr<rocksdb::Iterator> groups(
      log.db().db().NewIterator(snapshot.read(), log.db().groups()));
  const std::unique_ptr<rocksdb::Iterator> blobs(
      log.db().db().NewIterator(snapshot.read(), log.db().blobs()));
  auto status = copy_rows(*groups, tip.position, to, (*copy)->groups(), stop);
  if (status.ok()) status = copy_rows(*blobs, tip.position, to, (*copy)->blobs(), stop);
  if (status.ok()) status = to.Flush({}, {(*copy)->groups(), (*copy)->blobs()});
  if (status.IsAborted()) return cancelled("copying the log to " + target);
  if (!status.ok()) return failed(status, target);
  return {};
}

/// The copy, marked and verified.
Result<ChainReport> copy_and_verify(const RocksLog& log, const std::string& target,
                                    const std::stop_token& stop) {
  const Tip tip = log.tip();
  if (auto copied = copy_log(log, tip, target, stop); !copied) return tl::unexpected(copied.error());
  // Last, so that half a copy is never taken for a store.
  if (auto marked = RocksWatermark::create(*log.env()->GetFileSystem(), target, tip); !marked) {
    return tl::unexpected(marked.error());
  }
  auto opened = open_rocks_event_log(target, {.create = false, .env = log.env()});
  if (!opened) return tl::unexpected(opened.error());
  return verify_chain(**opened, {}, stop);
}

}  // namespace

Result<ChainReport> backup_log(const EventLog& log, const std::string& target, const std::stop_token& stop) {
  const auto* rocks = dynamic_cast<const RocksLog*>(&log);
  if (!rocks) {
    return fail(ErrorKind::trouble, "backup_unsupported", "cannot copy a log that does not lie in a store");
  }
  if (auto checked = check_target(*rocks->env(), target); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_store_filesystem(target); !checked) return tl::unexpected(checked.error());
  if (auto prepared = prepare_store_dir(target); !prepared) return tl::unexpected(prepared.error());
  auto report = copy_and_verify(*rocks, target, stop);
  if (!report && stop.stop_requested()) {
    // The folder was empty before: everything in it is ours.
    std::error_code ignored;
    std::filesystem::remove_all(target, ignored);
  }
  return report;
}

}  // namespace luzia
