// The only file of the views that uses RocksDB. Keys and values are stored as given. The cursor is a row of
// the store's own (first byte 0, which no view has), written in the same batch as the rows.
#include "engine/view/rocks_view_store.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/log/rocks_reading_env.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCursorKey{"\0cursor", 7};
constexpr std::string_view kFirstKey{};
constexpr std::string_view kEndKey{"\xff", 1};
/// Size of a memtable before it becomes a file of level 0. At most kBuffers are held.
constexpr std::size_t kBufferBytes = 8 << 20;
/// The same while a long history is written. Files four times as large are compacted into the lower levels a
/// quarter as often, which saves a fifth of the time for ten million events.
constexpr std::size_t kBufferBytesOfMany = 32 << 20;
constexpr int kBuffers = 3;
/// A batch that grew beyond this releases its memory.
constexpr std::size_t kKeptBatchBytes = 4 << 20;
/// A file beside the database: damage was found while reading, and the next open clears the rows.
constexpr std::string_view kDamageMark = "DAMAGED";

rocksdb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}
std::string_view view(const rocksdb::Slice& s) {
  return {s.data(), s.size()};
}

class NullLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

/// Rows have no write-ahead log. After a crash they are as of the last table file. That is a position of the
/// event log, because tables are written in the order of their buffers; what follows is folded again. A
/// write-ahead log would cost a third of the folding speed. A power loss could also take an older log file
/// and leave a newer one: rows with a gap.
rocksdb::WriteOptions write_options() {
  rocksdb::WriteOptions result;
  result.disableWAL = true;
  return result;
}

rocksdb::BlockBasedTableOptions table_options() {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(8 << 20);
  table.block_size = 8 << 10;
  table.cache_index_and_filter_blocks = true;
  // Partitioned: the whole filter of a large file exceeds a cache shard and would be read again for each row.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = 4 << 10;
  // Most keys that a fold looks up are new: the filter answers without reading.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  return table;
}

rocksdb::Options options(const rocksdb::BlockBasedTableOptions& table) {
  rocksdb::Options result;
  result.create_if_missing = true;
  result.write_buffer_size = kBufferBytes;
  result.max_write_buffer_number = kBuffers;
  // Every flush covers all views and so touches all of level 1: a small level 1 is quick to compact. A level
  // of 16 MiB and files of 4 to 64 MiB made no measurable difference.
  result.max_bytes_for_level_base = 64 << 20;
  result.level0_file_num_compaction_trigger = 8;
  // Rejected: ZSTD on the lower levels. It saves a quarter of the disk space but costs a quarter of a
  // replay's time.
  result.compression = rocksdb::kLZ4Compression;
  result.paranoid_checks = true;
  result.max_background_jobs = 2;
  result.max_open_files = 256;
  result.max_file_opening_threads = 1;  // as in the log
  // Within each kind of row most new keys are greater than all earlier ones (job ids, numbers, positions), so
  // the search starts at the last insertion.
  constexpr std::size_t kKindOfRow = 3;  // view, version, first byte of the key
  result.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(kKindOfRow));
  result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return result;
}

rocksdb::Options writing_options() {
  rocksdb::BlockBasedTableOptions table = table_options();
  // Pins the partitions of the newest files, which every look-up uses: a few hundred KiB.
  table.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kFlushedAndSimilar;
  rocksdb::Options result = options(table);
  // RocksDB's own log helps nobody. Readers have none either, which saves formatting its text.
  result.info_log = std::make_shared<NullLogger>();
  return result;
}

/// A reader opens all files at once and holds them, because a writer beside it deletes what a compaction
/// replaced. It starts no threads and looks up nothing in advance. Rejected: opening a file when a row is
/// looked up in it. RocksDB then reads all partitions of its index and filter, 1.6 MB of a large file, and
/// each look-up uses the newest half of the files anyway.
rocksdb::Options reading_options() {
  rocksdb::Options result = options(table_options());
  result.max_open_files = -1;
  result.table_cache_numshardbits = kOneShard;
  result.skip_stats_update_on_db_open = true;
  result.skip_checking_sst_file_sizes_on_db_open = true;
  return result;
}

/// The database, and whether damage was found. Shared with readers, which may outlive the store.
struct Database {
  std::unique_ptr<ReadingEnv> reading;  // read_only only; declared before the database, which uses it
  std::unique_ptr<rocksdb::DB> db;
  std::string path;
  bool read_only = false;
  rocksdb::Env* env = nullptr;  // null: the default one
  mutable std::atomic<bool> damaged{false};

  void note(const rocksdb::Status& status) const {
    if (status.ok() || status.IsNotFound() || damaged.exchange(true) || read_only) return;
    std::ofstream(fs::path(path) / kDamageMark) << status.ToString() << "\n";
  }
  Status status() const {
    if (!damaged) return {};
    return fail(ErrorKind::trouble, "views_damaged",
                "Reading the views in " + path + " failed: what the disk returns is not what was written",
                read_only ? "luzia-query replay --rebuild rebuilds them from the log"
                          : "ask again in a moment: luziad starts over and replays them from the log");
  }
};

std::string encode_cursor(const ViewCursor& cursor) {
  std::string bytes(reinterpret_cast<const char*>(&cursor.position), sizeof cursor.position);
  return bytes.append(as_text(cursor.chain));
}

ViewCursor decode_cursor(std::string_view bytes) {
  ViewCursor cursor;
  if (bytes.size() != sizeof cursor.position + cursor.chain.size()) return cursor;
  std::memcpy(&cursor.position, bytes.data(), sizeof cursor.position);
  std::memcpy(cursor.chain.data(), bytes.data() + sizeof cursor.position, cursor.chain.size());
  return cursor;
}

class RocksReader : public ViewReader {
 public:
  explicit RocksReader(std::shared_ptr<const Database> database)
      : database_(std::move(database)), snapshot_(database_->db->GetSnapshot()) {}
  ~RocksReader() override { database_->db->ReleaseSnapshot(snapshot_); }

  std::optional<std::string> get(std::string_view key) const override {
    std::string value;
    const rocksdb::Status status = database_->db->Get(read_options(), slice(key), &value);
    database_->note(status);
    if (!status.ok()) return std::nullopt;
    return value;
  }

  void scan(std::string_view from, std::string_view to, const Visit& visit) const override {
    if (from >= to) return;
    const rocksdb::Slice end = slice(to);
    rocksdb::ReadOptions read = read_options();
    read.iterate_upper_bound = &end;
    const std::unique_ptr<rocksdb::Iterator> it(database_->db->NewIterator(read));
    for (it->Seek(slice(from)); it->Valid(); it->Next()) {
      if (!visit(view(it->key()), view(it->value()))) return;
    }
    database_->note(it->status());
  }

  void scan_back(std::string_view from, std::string_view to, const Visit& visit) const override {
    if (from >= to) return;
    const rocksdb::Slice begin = slice(from), end = slice(to);
    rocksdb::ReadOptions read = read_options();
    read.iterate_lower_bound = &begin;
    read.iterate_upper_bound = &end;
    const std::unique_ptr<rocksdb::Iterator> it(database_->db->NewIterator(read));
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      if (!visit(view(it->key()), view(it->value()))) return;
    }
    database_->note(it->status());
  }

  ViewCursor cursor() const override {
    const auto bytes = get(kCursorKey);
    return bytes ? decode_cursor(*bytes) : ViewCursor{};
  }
  Status status() const override { return database_->status(); }

 private:
  rocksdb::ReadOptions read_options() const {
    rocksdb::ReadOptions read;
    read.snapshot = snapshot_;
    return read;
  }

  std::shared_ptr<const Database> database_;
  const rocksdb::Snapshot* snapshot_;
};

tl::unexpected<Error> views_failed(const std::string& path, std::string_view what,
                                   const rocksdb::Status& status) {
  return fail(
      ErrorKind::trouble, "views_failed",
      std::string(what) + " the views in " + path + " failed: " + status.ToString(),
      "free disk space or fix the disk, then restart luziad; rows can always be rebuilt from the log");
}

class RocksViewStore : public ViewStore {
 public:
  explicit RocksViewStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}
  /// Flushes, so that nothing has to be folded again.
  ~RocksViewStore() override {
    if (!database_->read_only && !database_->damaged && !broken_) (void)database_->db->Flush({});
  }

  std::unique_ptr<ViewReader> snapshot() const override { return std::make_unique<RocksReader>(database_); }

  Status write(const RowBatch& rows, const ViewCursor& cursor) override {
    LUZIA_TRY(refuse_change());
    if (batch_.GetDataSize() > kKeptBatchBytes) batch_ = rocksdb::WriteBatch();
    batch_.Clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [key, value] = rows[i];
      if (value) {
        batch_.Put(slice(key), slice(*value));
      } else {
        batch_.Delete(slice(key));
      }
    }
    batch_.Put(slice(kCursorKey), encode_cursor(cursor));
    if (const auto status = database_->db->Write(write_options(), &batch_); !status.ok()) {
      return not_changed("Writing", status);
    }
    return {};
  }

  Status status() const override { return database_->status(); }

  /// Flushes first, because there is no write-ahead log to copy.
  Status copy_to(const std::string& folder) const {
    LUZIA_TRY(database_->status());
    constexpr std::uint64_t kAlwaysFlush = 0;
    rocksdb::Checkpoint* made = nullptr;
    rocksdb::Status status = rocksdb::Checkpoint::Create(database_->db.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (status.ok()) status = checkpoint->CreateCheckpoint(folder, kAlwaysFlush);
    if (status.ok()) return {};
    return views_failed(folder, "Copying", status);
  }

  Status clear() override {
    LUZIA_TRY(refuse_change());
    auto* db = database_->db.get();
    rocksdb::Status status =
        db->DeleteRange(write_options(), db->DefaultColumnFamily(), slice(kFirstKey), slice(kEndKey));
    // Drops the old rows now: otherwise every read of the rebuild would search them.
    if (status.ok()) status = db->CompactRange({}, nullptr, nullptr);
    if (status.ok()) return {};
    return not_changed("Clearing", status);
  }

  /// If the option cannot be changed, writing is only slower. At the end, flushes what is in memory: a store
  /// that is not written to for long would keep the large buffer.
  Status expect_many(bool many) override {
    LUZIA_TRY(refuse_change());
    const std::size_t bytes = many ? kBufferBytesOfMany : kBufferBytes;
    (void)database_->db->SetOptions({{"write_buffer_size", std::to_string(bytes)}});
    if (many) return {};
    if (const auto status = database_->db->Flush({}); !status.ok()) return not_changed("Writing", status);
    return {};
  }

 private:
  /// A compaction reads all rows in time, so damage that it finds stops writes.
  Status not_changed(std::string_view what, const rocksdb::Status& status) {
    broken_ = true;
    if (!status.IsCorruption()) return views_failed(database_->path, what, status);
    database_->note(status);
    return database_->status();
  }
  Status refuse_change() const {
    if (database_->read_only) {
      return fail(
          ErrorKind::refused, "views_read_only",
          "Writing the views in " + database_->path + " is not possible: they are open for reading only");
    }
    if (broken_) {
      return fail(ErrorKind::trouble, "views_failed",
                  "Writing the views in " + database_->path + " is not possible: an earlier write failed",
                  "free disk space or fix the disk, then restart luziad");
    }
    return database_->status();
  }

  std::shared_ptr<Database> database_;
  rocksdb::WriteBatch batch_;  // view thread; its memory is reused
  /// A write failed. RocksDB must not be asked to write to that file again: if it was built with assertions,
  /// as Debian's is, that ends the process. View thread only.
  bool broken_ = false;
};

rocksdb::Status open_for_writing(Database& database) {
  constexpr std::uint64_t kRoomToSpare = 64 << 20;
  rocksdb::DB* db = nullptr;
  rocksdb::Options chosen = writing_options();
  if (database.env != nullptr) chosen.env = database.env;
  // Preallocated files would take all of a nearly full disk.
  std::uint64_t free = 0;
  if (chosen.env->GetFreeSpace(database.path, &free).ok()) chosen.allow_fallocate = free >= kRoomToSpare;
  const rocksdb::Status status = rocksdb::DB::Open(chosen, database.path, &db);
  database.db.reset(db);
  return status;
}

rocksdb::Status open_for_reading(Database& database) {
  rocksdb::DB* db = nullptr;
  rocksdb::Options chosen = reading_options();
  database.reading = std::make_unique<ReadingEnv>(database.env != nullptr ? database.env : chosen.env);
  chosen.env = database.reading.get();
  // Names the one family, because RocksDB otherwise opens all files first to see whether they are packed into
  // one.
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(
      chosen, database.path, {{rocksdb::kDefaultColumnFamilyName, chosen}}, &handles, &db);
  database.db.reset(db);
  for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
  return status;
}

bool is_locked(const rocksdb::Status& status) {
  return status.IsIOError() && status.ToString().find("lock") != std::string::npos;
}

bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsInvalidArgument() || status.IsNotSupported() ||
         status.IsNotFound() || status.IsPathNotFound();
}

Result<OpenedViews> open_read_only(std::shared_ptr<Database> database) {
  if (std::error_code error; !fs::exists(fs::path(database->path) / "CURRENT", error)) {
    return fail(ErrorKind::trouble, "no_views", "There are no views in " + database->path,
                "they are made when luziad starts; until then queries fold the log");
  }
  const rocksdb::Status status = open_for_reading(*database);
  if (!status.ok() || fs::exists(fs::path(database->path) / kDamageMark)) {
    return fail(ErrorKind::trouble, "views_unreadable",
                "Reading the views in " + database->path + " failed: " + status.ToString(),
                "start luziad, it rebuilds damaged views; or query again when the disk is fixed");
  }
  return OpenedViews{std::make_unique<RocksViewStore>(std::move(database)), false};
}

}  // namespace

Result<OpenedViews> open_rocks_view_store(const std::string& path, OpenMode mode, rocksdb::Env* env) {
  auto database = std::make_shared<Database>();
  database->env = env;
  database->path = path;
  database->read_only = mode == OpenMode::read_only;
  if (database->read_only) return open_read_only(std::move(database));

  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return fail_errno(error.value(), "views_failed", "Making the folder " + path + " failed",
                      "check the permissions of the store");
  }
  const bool marked = fs::exists(fs::path(path) / kDamageMark);
  rocksdb::Status status = open_for_writing(*database);
  const bool clear = (marked && status.ok()) || is_damage(status);
  if (clear) {
    // Releases the database's lock for a moment. Whoever opens it already holds the lock of the whole store.
    database->db.reset();
    fs::remove_all(path, error);
    fs::create_directories(path, error);
    status = open_for_writing(*database);
  }
  if (is_locked(status)) {
    return fail(ErrorKind::trouble, "views_locked", "The views in " + path + " are in use by another process",
                "another luziad runs on this store; stop it first");
  }
  if (!status.ok()) return views_failed(path, "Opening", status);
  auto store = std::make_unique<RocksViewStore>(std::move(database));
  const RocksViewStore* rows = store.get();
  return OpenedViews{std::move(store), clear,
                     [rows](const std::string& folder) { return rows->copy_to(folder); }};
}

}  // namespace luzia
