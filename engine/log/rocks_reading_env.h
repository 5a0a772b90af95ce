// The environment of a database that is opened for reading. It holds table files open, because a writer
// beside it deletes those that a compaction replaced. It also skips what RocksDB prepares for writing.
//
// Rejected: RocksDB's own way of holding files, which opens every table at once (max_open_files = -1). That
// reads four blocks of each table, 50 us, while holding takes 4 us, and a query needs a handful of tables.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <memory>

namespace luzia {

/// Wraps `target` for one database. It must outlive the database, and `target` must outlive it.
class ReadingEnv : public rocksdb::EnvWrapper {
 public:
  explicit ReadingEnv(rocksdb::Env* target);
  ~ReadingEnv() override;
  const char* Name() const override { return "ReadingEnv"; }

  /// Opens every table of `db` and keeps it open: from now on RocksDB can read it even after somebody deleted
  /// it. `db` uses this environment and was just opened. Call it before other threads read. It fails if a
  /// table cannot be opened: either a writer was faster (opening the database again helps), or the process
  /// may not have that many files open.
  rocksdb::Status hold_tables(rocksdb::DB& db);

  /// Starts no threads. A database opened for reading has no work for them, and starting two takes a fifth of
  /// the time to open a store.
  void IncBackgroundThreadsIfNeeded(int, Priority) override {}
  /// Does nothing. It serves direct I/O, which is off, and would ask /sys for the disk's block size.
  rocksdb::Status RegisterDbPaths(const std::vector<std::string>&) override { return {}; }
  rocksdb::Status UnregisterDbPaths(const std::vector<std::string>&) override { return {}; }

 private:
  class HeldTables;
  std::shared_ptr<HeldTables> tables_;
};

/// Values of `max_open_files` if tables are read as needed; RocksDB also bounds its cached tables by it.
/// kFewTables is the minimum: RocksDB reads two at once. With kManyTables it reads 16 at once, and none
/// twice.
constexpr int kFewTables = 20;
constexpr int kManyTables = 1 << 20;
/// Value of `table_cache_numshardbits`: one shard. The default of 64 shards is for many threads, and creating
/// them takes half the time of reading a table.
constexpr int kOneShard = 0;

}  // namespace luzia
