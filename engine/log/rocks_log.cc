#include "engine/log/rocks_log.h"

#include <algorithm>

#include "engine/base/failpoint.h"
#include "engine/log/blob_row.h"
#include "engine/log/rocks_error.h"
#include "engine/log/rocks_group_cursor.h"

namespace luzia {
namespace {

/// A batch that grew beyond this releases its memory.
constexpr std::size_t kKeptBatchBytes = 1 << 20;

rocksdb::WriteOptions durable() {
  rocksdb::WriteOptions options;
  options.sync = true;
  options.protection_bytes_per_key = kProtectionBytes;
  return options;
}

rocksdb::Slice slice(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

RocksLog::RocksLog(std::unique_ptr<RocksLogDb> db, Tip tip, rocksdb::Env* env,
                   std::optional<LogWriter> writer)
    : writer_(std::move(writer)),
      db_(std::move(db)),
      env_(env),
      batch_(0, 0, kProtectionBytes, 0),
      tip_(tip) {}

Tip RocksLog::tip() const {
  std::lock_guard lock(tip_mutex_);
  return tip_;
}

Status RocksLog::check_writable() const {
  if (!writer_)
    return fail(ErrorKind::trouble, "log_read_only", "cannot write to the log: it was opened for reading");
  if (broken_) {
    return fail(ErrorKind::trouble, "log_broken", "cannot write to the log: an earlier write failed",
                "start the daemon again");
  }
  return {};
}

Status RocksLog::broken_if_failed(Status status) {
  if (!status) broken_ = true;
  return status;
}

Result<std::shared_ptr<const Group>> RocksLog::append(const PendingGroup& group) {
  LUZIA_TRY(check_writable());
  const Tip before = tip();  // only this thread changes it
  LUZIA_TRY(check_appendable(group, before));

  const Hash chain = chain_hash(before.chain, group.first_position(), group.count(), group.frames());
  const std::string header = Group::encode_header(group.count(), chain);
  const std::string key = position_key(group.first_position());
  const rocksdb::Slice key_slice(key);
  const rocksdb::Slice value[] = {header, slice(group.frames())};
  if (batch_.GetDataSize() > kKeptBatchBytes) batch_ = rocksdb::WriteBatch(0, 0, kProtectionBytes, 0);
  batch_.Clear();
  rocksdb::Status status =
      batch_.Put(db_->groups(), rocksdb::SliceParts(&key_slice, 1), rocksdb::SliceParts(value, 2));
  if (status.ok() && !group.blobs().empty())
    status = batch_.Put(db_->blobs(), key, encode_blob_row(group.blobs()));
  failpoint("append.write");
  if (status.ok()) status = db_->db().Write(durable(), &batch_);
  failpoint("append.written");
  if (!status.ok()) {
    broken_ = true;
    return rocks_failure(status, "log_write_failed", "cannot write a group of events to the log");
  }
  auto stored = std::make_shared<const Group>(Group::stored(group, chain));
  const Tip after{stored->last_position(), chain};
  LUZIA_TRY(broken_if_failed(writer_->watermark.write(after)));
  failpoint("append.marked");
  std::lock_guard lock(tip_mutex_);
  tip_ = after;
  return stored;
}

std::unique_ptr<GroupCursor> RocksLog::read_from(Position first) const {
  return std::make_unique<RocksGroupCursor>(
      *db_, [this] { return tip().position; }, first);
}

Result<std::optional<StoredEvent>> RocksLog::event(Position position) const {
  if (position <= base().position || position > tip().position) return std::nullopt;
  auto found = db_->read_event(position);
  if (found && !*found) return no_group_for(position);
  return found;
}

Result<std::unique_ptr<rocksdb::Iterator>> RocksLog::text_row(Position event) const {
  std::unique_ptr<rocksdb::Iterator> at(db_->db().NewIterator({}, db_->blobs()));
  at->SeekForPrev(position_key(event));
  if (at->status().ok()) return at;
  const std::string what = "cannot read the texts of event " + std::to_string(event);
  auto failure = rocks_failure(at->status(), "log_unreadable", what);
  if (at->status().IsCorruption()) failure.value().code = "text_damaged";
  return failure;
}

Status RocksLog::visit_text_row(Position event, const std::function<void(std::string_view)>& visit) const {
  rocksdb::PinnableSlice value;
  if (db_->get(db_->blobs(), event, value)) {
    visit(value.ToStringView());
    return {};
  }
  const auto row = LUZIA_TRY(text_row(event));
  if (row->Valid()) visit(row->value().ToStringView());
  return {};
}

Status RocksLog::erase_blob(Position event, std::uint32_t index) {
  std::lock_guard lock(erase_mutex_);
  LUZIA_TRY(check_writable());
  if (event == 0 || event > tip().position) return no_such_blob(event, index);
  const auto row = LUZIA_TRY(text_row(event));
  if (!row->Valid()) return no_such_blob(event, index);
  auto entries = decode_blob_row(row->value().ToStringView());
  if (!entries) return damaged_blobs(event);
  const auto entry = std::ranges::find_if(
      *entries, [&](const BlobEntry& each) { return each.event == event && each.index == index; });
  if (entry == entries->end()) return no_such_blob(event, index);
  const Position group = key_position(row->key());
  // Also if it was erased before: a crash may have left its bytes in files.
  if (entry->state == BlobState::erased) erased_rows_.insert(group);
  if (entry->state == BlobState::erased) return {};
  entry->state = BlobState::erased;
  rocksdb::WriteBatch batch(0, 0, kProtectionBytes, 0);
  auto status = batch.Put(db_->blobs(), position_key(group), encode_blob_row(*entries));
  if (status.ok()) status = db_->db().Write(durable(), &batch);
  if (!status.ok()) {
    broken_ = true;
    return rocks_failure(status, "log_write_failed", "cannot erase a text from the log");
  }
  erased_rows_.insert(group);
  return {};
}

Status RocksLog::drop_erased() {
  LUZIA_TRY(check_writable());
  std::set<Position> rows;
  {
    std::lock_guard lock(erase_mutex_);
    rows.swap(erased_rows_);
  }
  if (rows.empty()) return {};
  // The old rows are in the write-ahead log and in table files. The flush removes the former, the compaction
  // the latter.
  rocksdb::Status status = db_->db().Flush({}, {db_->groups(), db_->blobs()});
  rocksdb::CompactRangeOptions merge;
  merge.exclusive_manual_compaction = false;
  merge.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  for (auto row = rows.begin(); row != rows.end() && status.ok(); ++row) {
    const std::string key = position_key(*row);
    const rocksdb::Slice at(key);
    status = db_->db().CompactRange(merge, db_->blobs(), &at, &at);
  }
  if (!status.ok())
    return rocks_failure(status, "log_write_failed", "cannot remove erased texts from the log's files");
  return {};
}

Status RocksLog::sync_watermark() {
  LUZIA_TRY(check_writable());
  return broken_if_failed(writer_->watermark.sync());
}

}  // namespace luzia
