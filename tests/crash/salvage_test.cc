// salvage copies the provable part of a damaged store and reports the rest. With any damage the new store is
// a prefix of the old one, and everything else is reported missing. For damage at every byte see
// tests/tools/luzia_query/salvage_anywhere_test.cc.
#include "engine/log/salvage.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>

#include "engine/log/rocks_log_db.h"
#include "engine/log/rocks_new_store.h"
#include "engine/log/verify_chain.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

constexpr Position kLast = 24;  // 12 jobs; a group each for JobQueued (with a text) and JobHeld

class BrokenStore : public testing::Test {
 protected:
  BrokenStore() {
    const auto log = opened_store(store_.path());
    LogWriter writer(*log);
    for (int i = 0; i < 12; ++i) {
      const std::string job = "job" + std::to_string(i);
      writer.add(queued(job, "alpha", "shell", std::string(300, 'a') + job));
      writer.add(job_event(job, schema::JobHeldT{}));
      groups_.push_back(writer.commit());
    }
  }
  void move_into_tables() { opened_store(store_.path()).reset(); }
  std::string target() const { return store_.beside("saved"); }
  Result<SalvageReport> salvage() const { return salvage_log(store_.path(), target()); }

  std::string file_of(const std::string& ending) const {
    for (const auto& entry : std::filesystem::directory_iterator(store_.path() + "/log")) {
      if (entry.path().filename().string().ends_with(ending)) return entry.path();
    }
    return "";
  }
  void halve_manifest() const {
    for (const auto& entry : std::filesystem::directory_iterator(store_.path() + "/log")) {
      const std::string bytes = read_file(entry.path());
      if (entry.path().filename().string().starts_with("MANIFEST"))
        write_file(entry.path(), bytes.substr(0, bytes.size() / 2));
    }
  }
  template <class Change>
  void tamper(Change change) {
    auto db = RocksLogDb::open(store_.path() + "/log", OpenMode::read_write, nullptr);
    ASSERT_TRUE(db);
    change(**db);
    ASSERT_TRUE((*db)->db().Flush({}, {(*db)->groups(), (*db)->blobs()}).ok());
  }
  /// Checks that the copy is an ordinary store with the first `report.copied` events, bit for bit.
  void expect_prefix(const SalvageReport& report) const {
    auto log = open_store(target());
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ((*log)->tip(), report.copied);
    EXPECT_EQ(report.copied.position, 2 * report.groups);
    EXPECT_TRUE(report.groups == 0 || report.copied.chain == groups_[report.groups - 1]->chain());
    EXPECT_TRUE(append_groups(**log, 1, 1)) << "the copy can be appended to";
  }

  TempStore store_;
  std::vector<std::shared_ptr<const Group>> groups_;
};

TEST_F(BrokenStore, IntactStoreIsCopiedWhole) {
  for (const bool in_tables : {false, true}) {
    if (in_tables) move_into_tables();
    std::filesystem::remove_all(target());
    const auto report = salvage();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->complete()) << report->fault;
    EXPECT_EQ(report->copied.position, kLast);
    expect_prefix(*report);
    EXPECT_EQ(opened_store(target())->blob(1, 0), std::string(300, 'a') + "job0");
  }
}

TEST_F(BrokenStore, IsCopiedUpToTheDamage) {
  move_into_tables();
  tamper([&](RocksLogDb& db) {
    std::string value;
    ASSERT_TRUE(db.db().Get({}, db.groups(), position_key(9), &value).ok());
    value[200] = static_cast<char>(value[200] ^ 1);
    ASSERT_TRUE(db.db().Put({}, db.groups(), position_key(9), value).ok());
  });
  const auto report = salvage();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->copied.position, 8U);
  EXPECT_EQ(report->acknowledged, kLast);
  EXPECT_THAT(report->fault, HasSubstr("position 9"));
  ASSERT_FALSE(report->unproved.empty());
  EXPECT_EQ(report->unproved.back().to, kLast);
  EXPECT_FALSE(report->complete());
  expect_prefix(*report);
}

TEST_F(BrokenStore, NamesMissingEventsAndTexts) {
  move_into_tables();
  tamper([&](RocksLogDb& db) {
    ASSERT_TRUE(db.db().Delete({}, db.groups(), position_key(15)).ok());
    ASSERT_TRUE(db.db().Delete({}, db.blobs(), position_key(5)).ok());
  });
  const auto report = salvage();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->copied.position, 14U);
  EXPECT_THAT(report->fault, HasSubstr("15 to 16 are missing"));
  ASSERT_EQ(report->unproved.size(), 1U);
  EXPECT_EQ(report->unproved[0].from, 17U);
  EXPECT_EQ(report->unproved[0].to, kLast);
  ASSERT_EQ(report->lost_texts.size(), 1U);
  EXPECT_EQ(report->lost_texts[0].event, 5U);
  expect_prefix(*report);
}

TEST_F(BrokenStore, WithoutAManifestIsReadFromTables) {
  move_into_tables();
  std::filesystem::remove(store_.path() + "/log/CURRENT");
  const auto report = salvage();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->index_rebuilt);
  EXPECT_EQ(report->copied.position, kLast);
  EXPECT_TRUE(report->complete()) << report->fault;
  EXPECT_FALSE(std::filesystem::exists(store_.path() + "/log/CURRENT")) << "the damaged store is unchanged";
  EXPECT_FALSE(std::filesystem::exists(target() + ".work"));
  expect_prefix(*report);
}

TEST_F(BrokenStore, WithATruncatedManifestIsReadFromTables) {
  move_into_tables();
  halve_manifest();
  const auto report = salvage();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->index_rebuilt);
  EXPECT_TRUE(report->complete()) << report->fault;
  EXPECT_EQ(report->rebuild_fault, "");
  EXPECT_EQ(report->copied.position, kLast);
  EXPECT_FALSE(std::filesystem::exists(target() + ".work"));
  expect_prefix(*report);
  EXPECT_EQ(opened_store(target())->blob(1, 0), std::string(300, 'a') + "job0");
}

/// Refuses new files below `target` while the working folder exists: there is no room for a second copy.
class NoRoomForTwo : public rocksdb::FileSystemWrapper {
 public:
  explicit NoRoomForTwo(std::string target)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), target_(std::move(target)) {}
  const char* Name() const override { return "NoRoomForTwo"; }
  bool refused() const { return refused_; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (path.starts_with(target_ + "/") && std::filesystem::exists(target_ + ".work")) {
      refused_ = true;
      return rocksdb::IOStatus::NoSpace(path);
    }
    return target()->NewWritableFile(path, options, file, debug);
  }

 private:
  std::string target_;
  std::atomic<bool> refused_ = false;
};

TEST_F(BrokenStore, WithoutSpaceForABetterCopyTheFirstIsKept) {
  move_into_tables();
  halve_manifest();
  const auto disk = std::make_shared<NoRoomForTwo>(target());
  const auto env = rocksdb::NewCompositeEnv(disk);
  const auto report = salvage_log(store_.path(), target(), env.get());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(disk->refused());
  EXPECT_FALSE(report->index_rebuilt);
  EXPECT_FALSE(report->complete());
  EXPECT_THAT(report->rebuild_fault, HasSubstr(target())) << "it reports why it has less";
  EXPECT_LT(report->copied.position, kLast);
  EXPECT_FALSE(std::filesystem::exists(target() + ".work"));
  expect_prefix(*report);
}

TEST_F(BrokenStore, ForeignWorkFolderIsRefused) {
  std::filesystem::create_directories(target() + ".work");
  EXPECT_EQ(salvage().error().code, "target_not_empty");
  EXPECT_FALSE(std::filesystem::exists(target()));
  EXPECT_TRUE(std::filesystem::exists(target() + ".work"));
}

// RocksDB 7.8 would read such a record forever.
TEST_F(BrokenStore, RecordOfRecycledTypeIsSkipped) {
  const std::string path = file_of(".log");
  const std::string bytes = read_file(path);
  const auto second = static_cast<std::size_t>(7 + static_cast<std::uint8_t>(bytes[4]) +
                                               256 * static_cast<std::uint8_t>(bytes[5]));
  std::string changed = bytes;
  changed[second + 6] = static_cast<char>(changed[second + 6] ^ 4);
  write_file(path, changed);
  const auto report = salvage();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->complete());
  EXPECT_GT(report->copied.position, 0U);
  EXPECT_EQ(read_file(path), changed) << "the damaged store is unchanged";
  expect_prefix(*report);
}

TEST_F(BrokenStore, WithoutAWatermarkIsNeverCalledComplete) {
  std::filesystem::remove(store_.path() + "/watermark");
  const auto report = salvage();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->acknowledged, std::nullopt);
  EXPECT_EQ(report->copied.position, kLast);
  EXPECT_FALSE(report->complete());
}

TEST_F(BrokenStore, StoreInUseIsRefused) {
  const auto writer = opened_store(store_.path());
  EXPECT_EQ(salvage().error().code, "store_locked");
  EXPECT_FALSE(std::filesystem::exists(target()));
}

// The state that kill -9 leaves, before or after the first event.
TEST_F(BrokenStore, InterruptedCopyIsReplacedByTheNext) {
  const std::string key = position_key(1), value(8 << 20, 'x');
  for (const bool some : {false, true}) {
    auto copy = std::make_unique<NewStore>(
        NewStore::create(target(), rocksdb::Env::Default(), "salvage_failed", "x").value());
    if (some) {
      ASSERT_TRUE(copy->put_group(key, value));
    }
    EXPECT_EQ(salvage().error().code, "target_not_empty") << "another process is creating it";
    copy.reset();
    for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write}) {
      EXPECT_EQ(open_store(target(), mode).error().code, "store_unfinished");
    }
    const auto report = salvage();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->complete());
    expect_prefix(*report);
    std::filesystem::remove_all(target());
  }
}

TEST_F(BrokenStore, IsNeverCopiedOverSomethingElse) {
  std::filesystem::create_directories(target());
  write_file(target() + "/mine", "");
  EXPECT_EQ(salvage().error().code, "target_not_empty");
  std::filesystem::create_directories(target() + ".work");
  EXPECT_THAT(salvage().error().message, HasSubstr("cannot copy the log to " + target() + ":"))
      << "noticed before the work folder is used";
}

}  // namespace
}  // namespace luzia::test
