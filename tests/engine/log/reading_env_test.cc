// A database opened for reading keeps its tables, even if someone deletes them, and starts no threads.
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "engine/log/rocks_reading_env.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

/// Records what a database asks of its environment other than files.
class AskedEnv : public rocksdb::EnvWrapper {
 public:
  AskedEnv() : EnvWrapper(rocksdb::Env::Default()) {
    file_system_ = target()->GetFileSystem();
    system_clock_ = target()->GetSystemClock();
  }
  const char* Name() const override { return "AskedEnv"; }
  void IncBackgroundThreadsIfNeeded(int threads, Priority) override { asked_ += threads; }
  rocksdb::Status RegisterDbPaths(const std::vector<std::string>& paths) override {
    asked_ += static_cast<int>(paths.size());
    return {};
  }
  int asked() const { return asked_; }

 private:
  int asked_ = 0;
};

/// Forty tables of one row each.
class ReadTables : public testing::Test {
 protected:
  static constexpr int kRows = 40;
  void SetUp() override {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, path(), &db).ok());
    const std::unique_ptr<rocksdb::DB> closed(db);
    for (int i = 0; i < kRows; ++i) {
      ASSERT_TRUE(closed->Put({}, key(i), "row").ok());
      ASSERT_TRUE(closed->Flush({}).ok());
    }
  }
  std::unique_ptr<rocksdb::DB> open(rocksdb::Env& env) const {
    rocksdb::Options options;
    options.env = &env;
    options.max_open_files = kFewTables;
    rocksdb::DB* db = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const auto status = rocksdb::DB::OpenForReadOnly(
        options, path(), {{rocksdb::kDefaultColumnFamilyName, options}}, &handles, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    for (auto* handle : handles) (void)db->DestroyColumnFamilyHandle(handle);
    return std::unique_ptr<rocksdb::DB>(db);
  }
  std::vector<fs::path> tables() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().extension() == ".sst") found.push_back(entry.path());
    }
    return found;
  }
  static int rows_found(rocksdb::DB& db) {
    int found = 0;
    std::string row;
    for (int i = 0; i < kRows; ++i) found += db.Get({}, key(i), &row).ok() ? 1 : 0;
    return found;
  }
  static std::string key(int i) { return "row " + std::to_string(i); }
  std::string path() const { return store_.beside("tables"); }

  TempStore store_;
};

TEST_F(ReadTables, HeldTablesAreReadableAfterDeletion) {
  ReadingEnv env(rocksdb::Env::Default());
  const auto db = open(env);
  ASSERT_TRUE(env.hold_tables(*db).ok());
  for (const auto& table : tables()) fs::remove(table);
  EXPECT_EQ(rows_found(*db), kRows);
  EXPECT_EQ(rows_found(*db), kRows) << "of tables that RocksDB closed after the first round";
}

TEST_F(ReadTables, UnheldTablesAreLostWithTheirFiles) {
  ReadingEnv env(rocksdb::Env::Default());
  const auto db = open(env);
  for (const auto& table : tables()) fs::remove(table);
  EXPECT_LT(rows_found(*db), kRows);
}

TEST_F(ReadTables, MissingTableIsNotHeld) {
  ReadingEnv env(rocksdb::Env::Default());
  const auto db = open(env);
  fs::remove(tables().front());
  EXPECT_TRUE(env.hold_tables(*db).IsPathNotFound());
}

TEST_F(ReadTables, ReadingNeedsNoThreads) {
  AskedEnv asked;
  open(asked).reset();
  ASSERT_GT(asked.asked(), 1);
  AskedEnv below;
  ReadingEnv env(&below);
  EXPECT_EQ(rows_found(*open(env)), kRows);
  EXPECT_EQ(below.asked(), 0);
}

}  // namespace
}  // namespace luzia::test
