#include "engine/log/rocks_log_db.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "engine/log/rocks_error.h"
#include "engine/log/verify_chain.h"

namespace luzia {
namespace {

constexpr char kGroups[] = "groups";
constexpr char kBlobs[] = "blobs";

rocksdb::DBOptions db_options(OpenMode mode, rocksdb::Env* env) {
  rocksdb::DBOptions options;
  if (env) options.env = env;
  options.create_if_missing = mode == OpenMode::read_write;
  options.create_missing_column_families = mode == OpenMode::read_write;
  options.paranoid_checks = true;
  // Damage inside the write-ahead log is an error. Only a record cut off at the very end is dropped; the
  // watermark tells whether it had been acknowledged.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.avoid_flush_during_recovery = false;
  // Bounds what a reopen has to replay, even if one column family is rarely written.
  options.max_total_wal_size = 24 << 20;
  options.max_open_files = 512;
  options.max_background_jobs = 2;
  // Starting RocksDB's sixteen threads takes longer than opening the few tables that a start opens.
  options.max_file_opening_threads = 1;
  // For compactions of tables with many deletions, which a log does not have.
  options.skip_stats_update_on_db_open = true;
  // RocksDB must not retry failed writes by itself: the log is opened again instead.
  options.max_bgerror_resume_count = 0;
  // No periodic wake-ups.
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.keep_log_file_num = 2;
  options.max_log_file_size = 1 << 20;
  options.info_log_level = rocksdb::WARN_LEVEL;
  return options;
}

/// Preallocated files are faster to append to. On a nearly full disk they would take all of it.
bool may_preallocate(rocksdb::Env& env, const std::string& path) {
  constexpr std::uint64_t kRoomToSpare = 64 << 20;
  std::uint64_t free = 0;
  return !env.GetFreeSpace(path, &free).ok() || free >= kRoomToSpare;
}

int max_open_files(Tables tables) {
  constexpr int kAllAtOnce = -1;
  switch (tables) {
    case Tables::as_needed:
      return kFewTables;
    case Tables::held:
      return kManyTables;
    case Tables::opened:
      break;
  }
  return kAllAtOnce;
}

/// For queries that take milliseconds: reads, looks up and starts nothing before it is needed.
rocksdb::DBOptions reading_options(rocksdb::Env* env, Tables tables) {
  rocksdb::DBOptions options = db_options(OpenMode::read_only, env);
  options.max_open_files = max_open_files(tables);
  options.table_cache_numshardbits = kOneShard;
  options.skip_checking_sst_file_sizes_on_db_open = tables != Tables::held;
  return options;
}

rocksdb::ColumnFamilyOptions family_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  options.compaction_style = rocksdb::kCompactionStyleLevel;
  options.compression = rocksdb::kLZ4Compression;
  options.bottommost_compression = rocksdb::kZSTD;
  // 8 MiB: 19 MiB of memory and 30 ms to reopen, against 73 MiB and 300 ms with RocksDB's default.
  options.write_buffer_size = 8 << 20;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 16 << 10;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> families() {
  // Few shards, so that the block of a batch of thousands of events, half a MiB, fits one.
  constexpr int kPartBits = 2;
  const auto cache = rocksdb::NewLRUCache(16 << 20, kPartBits);
  const auto options = family_options(cache);
  return {{rocksdb::kDefaultColumnFamilyName, options}, {kGroups, options}, {kBlobs, options}};
}

tl::unexpected<Error> bad_key(const rocksdb::Slice& key) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the log holds a group under an impossible key of " + std::to_string(key.size()) + " bytes",
              "restore the store from a backup");
}

}  // namespace

std::string position_key(Position position) {
  std::string key(kPositionKeySize, '\0');
  for (std::size_t i = 0; i < kPositionKeySize; ++i) key[i] = static_cast<char>(position >> (8 * (7 - i)));
  return key;
}

Position key_position(const rocksdb::Slice& key) {
  if (key.size() != kPositionKeySize) return 0;
  Position position = 0;
  for (std::size_t i = 0; i < kPositionKeySize; ++i)
    position = position << 8 | static_cast<std::uint8_t>(key[i]);
  return position;
}

Result<bool> RocksLogDb::exists(const std::string& path, rocksdb::Env* env) {
  const auto options = db_options(OpenMode::read_only, env);
  if (!options.env->FileExists(path + "/CURRENT").ok()) return false;
  std::vector<std::string> names;
  const auto status = rocksdb::DB::ListColumnFamilies(options, path, &names);
  if (!status.ok()) return rocks_failure(status, "log_unusable", "cannot read the manifest of " + path);
  for (const std::string& name : names) {
    if (name == rocksdb::kDefaultColumnFamilyName || name == kGroups || name == kBlobs) continue;
    return fail(ErrorKind::trouble, "store_format",
                path + " holds '" + name + "', which this program does not know",
                "use the newer program that wrote this store");
  }
  return std::ranges::count(names, kGroups) == 1 && std::ranges::count(names, kBlobs) == 1;
}

Result<std::unique_ptr<RocksLogDb>> RocksLogDb::open(const std::string& path, OpenMode mode,
                                                     rocksdb::Env* env, Tables tables, Recovery recovery) {
  auto options = mode == OpenMode::read_only ? reading_options(env, tables) : db_options(mode, env);
  switch (recovery) {
    case Recovery::refuse_damage:
      break;
    case Recovery::end_at_damage:
      options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
      break;
    case Recovery::skip_damage:
      options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
      options.paranoid_checks = false;
      break;
  }
  const bool writes = mode == OpenMode::read_write;
  options.allow_fallocate = writes && may_preallocate(*options.env, path);
  std::unique_ptr<RocksLogDb> log(new RocksLogDb);
  log->env_ =
      std::make_unique<WalRoomEnv>(options.env, options.allow_fallocate ? WalRoom::zeroed : WalRoom::none);
  options.env = log->env_.get();
  if (!writes) {
    log->reading_ = std::make_unique<ReadingEnv>(log->env_.get());
    options.env = log->reading_.get();
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  auto status = writes ? rocksdb::DB::Open(options, path, families(), &handles, &db)
                       : rocksdb::DB::OpenForReadOnly(options, path, families(), &handles, &db);
  if (!status.ok()) return rocks_failure(status, "log_unusable", "cannot open the log " + path);
  log->db_.reset(db);
  log->default_ = handles[0];
  log->groups_ = handles[1];
  log->blobs_ = handles[2];
  if (!writes && tables == Tables::held) status = log->reading_->hold_tables(*db);
  if (!status.ok()) return rocks_failure(status, "log_unusable", "cannot open the log " + path);
  return log;
}

Status RocksLogDb::rebuild_index(const std::string& path, rocksdb::Env* env) {
  const auto status = rocksdb::RepairDB(path, db_options(OpenMode::read_write, env), families());
  if (!status.ok()) return rocks_failure(status, "log_unusable", "cannot rebuild the index of " + path);
  return {};
}

RocksLogDb::~RocksLogDb() {
  if (!db_) return;
  for (auto* handle : {default_, groups_, blobs_}) (void)db_->DestroyColumnFamilyHandle(handle);
  (void)db_->Close();
}

Result<std::shared_ptr<const Group>> RocksLogDb::read(const rocksdb::Iterator& at) const {
  if (!at.Valid()) {
    if (!at.status().ok()) return rocks_failure(at.status(), "log_unreadable", "cannot read the log");
    return nullptr;
  }
  const Position position = key_position(at.key());
  if (position == 0) return bad_key(at.key());
  auto group = LUZIA_TRY(Group::parse(position, as_bytes(at.value().ToStringView())));
  return std::make_shared<const Group>(std::move(group));
}

Result<std::shared_ptr<const Group>> RocksLogDb::seek(rocksdb::Iterator& at, Position position) const {
  at.SeekForPrev(position_key(position));
  if (!at.Valid() && at.status().ok()) at.SeekToFirst();
  auto group = read(at);
  if (!group || !*group || (*group)->last_position() >= position) return group;
  at.Next();
  return read(at);
}

Result<std::optional<StoredEvent>> RocksLogDb::read_event(Position position) const {
  // A job's first event is mostly its group's, too.
  rocksdb::PinnableSlice value;
  if (get(groups_, position, value))
    return StoredEvent::parse(position, as_bytes(value.ToStringView()), position);
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, groups_));
  at->SeekForPrev(position_key(position));
  if (!at->Valid()) {
    if (!at->status().ok()) return rocks_failure(at->status(), "log_unreadable", "cannot read the log");
    return std::nullopt;
  }
  const Position first = key_position(at->key());
  if (first == 0) return bad_key(at->key());
  return StoredEvent::parse(first, as_bytes(at->value().ToStringView()), position);
}

Position RocksLogDb::last_table_key() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  Position last = 0;
  for (const auto& file : files) {
    if (file.column_family_name == kGroups) last = std::max(last, key_position(file.largestkey));
  }
  return last;
}

Position RocksLogDb::last_known_position() const {
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, groups_));
  at->SeekToLast();
  return std::max(last_table_key(), at->Valid() ? key_position(at->key()) : 0);
}

Result<Tip> RocksLogDb::prove_end() const {
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, groups_));
  ChainWalk walk(Tip{});
  const Position from = last_table_key();
  if (from > 1) {
    auto before = LUZIA_TRY(seek(*at, from - 1));
    if (before) {
      walk = ChainWalk({before->last_position(), before->chain()});
      at->Next();
    }
  } else {
    at->SeekToFirst();
  }
  for (;; at->Next()) {
    auto group = LUZIA_TRY(read(*at));
    if (!group) return walk.tip();
    LUZIA_TRY(walk.step(*group));
  }
}

Result<bool> RocksLogDb::contains(const Tip& tip) const {
  if (tip.position == 0) return tip.chain == Hash{};
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, groups_));
  auto group = LUZIA_TRY(seek(*at, tip.position));
  return group && group->last_position() == tip.position && group->chain() == tip.chain;
}

}  // namespace luzia
