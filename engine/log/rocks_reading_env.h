// The environment of a database that is opened for reading: it keeps hold of table files, which a writer
// beside it deletes when compaction has replaced them, and leaves out what RocksDB prepares for writing.
//
// Rejected: RocksDB's own way of holding, which is to open every table at once (max_open_files = -1). It
// reads four blocks of each, 50 us, where holding takes 4 us, and a question needs a handful of tables.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <memory>

namespace luzia {

/// The environment of `target` for one database. Outlives it, and `target` outlives the environment.
class ReadingEnv : public rocksdb::EnvWrapper {
 public:
  explicit ReadingEnv(rocksdb::Env* target);
  ~ReadingEnv() override;
  const char* Name() const override { return "ReadingEnv"; }

  /// Opens every table of `db`, which uses this environment and was just opened, and keeps it open: from here
  /// on RocksDB gets what it asks for, whoever deletes it. Before other threads read. An error where a table
  /// cannot be opened: a writer was faster (opening the database again helps), or there are more than the
  /// process may have open.
  rocksdb::Status hold_tables(rocksdb::DB& db);

  /// None: a database that is open for reading gives them nothing to do, and starting two is a fifth of what
  /// opening a store takes.
  void IncBackgroundThreadsIfNeeded(int, Priority) override {}
  /// Nothing: it is for direct reads and writes, which are off, and asks /sys for the disk's block size.
  rocksdb::Status RegisterDbPaths(const std::vector<std::string>&) override { return {}; }
  rocksdb::Status UnregisterDbPaths(const std::vector<std::string>&) override { return {}; }

 private:
  class HeldTables;
  std::shared_ptr<HeldTables> tables_;
};

/// `max_open_files` where tables are read as they are needed, which is how RocksDB bounds what it keeps of
/// those it has read. The fewest it takes: it reads two at once. Many: it reads 16 at once, and none twice.
constexpr int kFewTables = 20;
constexpr int kManyTables = 1 << 20;
/// `table_cache_numshardbits`: the list of read tables in one part. The usual 64 are for many threads, and
/// making them is half of what reading a table is.
constexpr int kOneShard = 0;

}  // namespace luzia
