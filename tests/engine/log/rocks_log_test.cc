#include "engine/log/rocks_log.h"

#include <sys/stat.h>

#include "engine/log/rocks_event_log.h"
#include "tests/engine/log/log_contract.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

struct RocksBackend {
  RocksBackend() : log_(std::move(open_rocks_event_log(store_.path(), {}).value())) {}
  EventLog& log() { return *log_; }
  TempStore store_;
  std::unique_ptr<EventLog> log_;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Rocks, EventLogContract, RocksBackend);

class RocksEventLog : public testing::Test {
 protected:
  Result<std::unique_ptr<EventLog>> open(OpenMode mode = OpenMode::read_write, bool create = true) {
    return open_rocks_event_log(store_.path(), {.mode = mode, .create = create});
  }
  std::unique_ptr<EventLog> opened(OpenMode mode = OpenMode::read_write) {
    return std::move(open(mode).value());
  }
  /// Names and contents of all files of the store.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store_.path())) {
      found[entry.path()] = entry.is_regular_file() ? read_file(entry.path()) : "folder";
    }
    return found;
  }
  std::vector<std::filesystem::path> tables() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(store_.path() + "/log")) {
      if (entry.path().extension() == ".sst") found.push_back(entry.path());
    }
    return found;
  }
  TempStore store_;
};

TEST_F(RocksEventLog, ReopenedLogContinues) {
  Tip tip;
  {
    const auto log = opened();
    ASSERT_TRUE(log->append(group_with_texts(1, 3, {{2, {{0, "salt", "text"}}}})));
    ASSERT_TRUE(append_groups(*log, 50, 2));
    tip = log->tip();
  }
  const auto log = opened();
  EXPECT_EQ(log->tip(), tip);
  EXPECT_EQ(log->blob(2, 0), "text");
  ASSERT_TRUE(append_groups(*log, 1, 1));
  EXPECT_EQ(read_positions(*log->read_from(1)), positions_from_to(1, 104));
  EXPECT_TRUE(verify_chain(*log));
}

TEST_F(RocksEventLog, ReopenedLogRemembersWhatWasErased) {
  {
    const auto log = opened();
    ASSERT_TRUE(log->append(group_with_texts(1, 1, {{1, {{0, "salt", "secret"}}}})));
    ASSERT_TRUE(log->erase_blob(1, 0));
  }
  EXPECT_EQ(opened()->blob(1, 0).error().code, "blob_erased");
}

TEST_F(RocksEventLog, ErasedTextLeavesTheFiles) {
  const std::string secret = "the-password-is-swordfish-4711";
  {
    const auto log = opened();
    ASSERT_TRUE(log->append(group_with_texts(1, 1, {{1, {{0, "salt", secret}}}})));
    ASSERT_TRUE(append_groups(*log, 3, 3));
  }
  const auto holds_secret = [&] {
    return std::ranges::any_of(
        files(), [&](const auto& file) { return file.second.find(secret) != std::string::npos; });
  };
  ASSERT_TRUE(holds_secret());
  {
    const auto log = opened();
    ASSERT_TRUE(log->erase_blob(1, 0));
    ASSERT_TRUE(log->drop_erased());
  }
  EXPECT_FALSE(holds_secret());
  EXPECT_EQ(opened()->blob(1, 0).error().code, "blob_erased");
}

TEST_F(RocksEventLog, ErasingAgainAfterACrashDropsTheText) {
  const std::string secret = "the-password-is-swordfish-4712";
  {
    const auto log = opened();
    auto group = group_of(1, 1);
    group.add_blob(1, {0, "salt", secret});
    ASSERT_TRUE(log->append(group));
  }
  ASSERT_TRUE(opened()->erase_blob(1, 0)) << "and no drop_erased()";
  {
    const auto log = opened();
    ASSERT_TRUE(log->erase_blob(1, 0));
    ASSERT_TRUE(log->drop_erased());
  }
  EXPECT_FALSE(std::ranges::any_of(
      files(), [&](const auto& file) { return file.second.find(secret) != std::string::npos; }));
}

TEST_F(RocksEventLog, StoreIsForItsOwnerOnly) {
  const auto log = opened();
  struct stat info {};
  ASSERT_EQ(stat(store_.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
}

TEST_F(RocksEventLog, StoreWritableByOthersIsRefused) {
  ASSERT_EQ(mkdir(store_.path().c_str(), 0700), 0);
  ASSERT_EQ(chmod(store_.path().c_str(), 0770), 0);
  EXPECT_EQ(open().error().code, "store_permissions");
}

TEST_F(RocksEventLog, SecondWriterIsRefusedWithTheHolder) {
  const auto log = opened();
  auto second = open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "store_locked");
  EXPECT_THAT(second.error().message, testing::HasSubstr("process " + std::to_string(getpid())));
}

TEST_F(RocksEventLog, LockEndsWithTheLog) {
  opened().reset();
  EXPECT_TRUE(open());
}

TEST_F(RocksEventLog, ReaderSeesAWritersEventsAsOfOpening) {
  const auto writer = opened();
  ASSERT_TRUE(append_groups(*writer, 10, 2));
  const auto reader = opened(OpenMode::read_only);
  EXPECT_EQ(reader->tip(), writer->tip());
  ASSERT_TRUE(append_groups(*writer, 1, 1));
  EXPECT_EQ(read_positions(*reader->read_from(1)), positions_from_to(1, 20));
  EXPECT_EQ(opened(OpenMode::read_only)->tip().position, 21U);
}

TEST_F(RocksEventLog, ReaderChangesNothing) {
  opened().reset();
  {
    const auto log = opened();
    ASSERT_TRUE(append_groups(*log, 10, 2));
  }
  const auto before = files();
  {
    const auto reader = opened(OpenMode::read_only);
    EXPECT_EQ(read_positions(*reader->read_from(1)), positions_from_to(1, 20));
    EXPECT_EQ(reader->append(group_of(21, 1)).error().code, "log_read_only");
    EXPECT_EQ(reader->erase_blob(1, 0).error().code, "log_read_only");
  }
  EXPECT_EQ(files(), before);
}

TEST_F(RocksEventLog, ReaderCreatesNoStore) {
  EXPECT_EQ(open(OpenMode::read_only).error().code, "no_store");
  EXPECT_EQ(open(OpenMode::read_write, false).error().code, "no_store");
  EXPECT_FALSE(std::filesystem::exists(store_.path()));
}

TEST_F(RocksEventLog, ReadersOpenBesideABusyWriter) {
  const auto writer = opened();
  std::atomic<bool> stop = false;
  std::atomic<Position> acknowledged = 0;
  std::thread appending([&] {
    // Large enough that write-ahead logs and tables are created and deleted.
    const std::string note(4'000, 'n');
    while (!stop && append_groups(*writer, 1, 40, note)) acknowledged = writer->tip().position;
  });
  for (int i = 0; i < 12; ++i) {
    const Position before = acknowledged;
    auto reader = open(OpenMode::read_only);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_GE((*reader)->tip().position, before);
    auto report = verify_chain(**reader);
    EXPECT_TRUE(report) << report.error().message;
  }
  stop = true;
  appending.join();
}

TEST_F(RocksEventLog, ReaderKeepsTablesReplacedByAWriter) {
  constexpr int kTables = 40;  // more than are read when a log is opened
  const auto writer = opened();
  const RocksLogDb& db = dynamic_cast<const RocksLog&>(*writer).db();
  ASSERT_TRUE(db.db().SetOptions(db.groups(), {{"disable_auto_compactions", "true"}}).ok());
  for (int i = 0; i < kTables; ++i) {
    ASSERT_TRUE(append_groups(*writer, 1, 3));
    ASSERT_TRUE(flush_log(*writer));
  }
  const auto before = tables();
  ASSERT_GE(before.size(), std::size_t{kTables});
  const auto reader = opened(OpenMode::read_only);
  const auto hasty =
      open_rocks_event_log(store_.path(), {.mode = OpenMode::read_only, .hold_files = false}).value();
  rocksdb::CompactRangeOptions rewrite;
  rewrite.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db.db().CompactRange(rewrite, db.groups(), nullptr, nullptr).ok());
  const auto gone =
      std::ranges::count_if(before, [](const auto& table) { return !std::filesystem::exists(table); });
  ASSERT_GE(gone, kTables);
  EXPECT_EQ(read_positions(*reader->read_from(1)), positions_from_to(1, 3 * kTables));
  EXPECT_TRUE(verify_chain(*reader));
  EXPECT_EQ(verify_chain(*hasty).error().code, "log_unreadable");
}

TEST_F(RocksEventLog, MissingOrTruncatedTableIsFoundAtOpening) {
  {
    const auto log = opened();
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(append_groups(*log, 10, 2));
      ASSERT_TRUE(flush_log(*log));
    }
  }
  const auto table = tables().front();
  const std::string bytes = read_file(table);
  write_file(table, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(open(OpenMode::read_only).error().code, "log_corrupt");
  EXPECT_EQ(open().error().code, "log_corrupt");
  std::filesystem::remove(table);
  EXPECT_EQ(open(OpenMode::read_only).error().code, "log_corrupt");
  EXPECT_EQ(open().error().code, "log_corrupt");
  write_file(table, bytes);
  EXPECT_TRUE(open(OpenMode::read_only));
}

TEST_F(RocksEventLog, HoleIsReportedByEveryReader) {
  ASSERT_TRUE(append_groups(*opened(), 5, 4));
  {
    const auto db = RocksLogDb::open(store_.path() + "/log", OpenMode::read_write, nullptr);
    ASSERT_TRUE(db);
    for (const Position first : {Position{1}, Position{9}})
      ASSERT_TRUE((*db)->db().Delete({}, (*db)->groups(), position_key(first)).ok());
    ASSERT_TRUE((*db)->db().Flush({}, (*db)->groups()).ok());
  }
  const auto log = opened();
  for (const Position missing : std::vector<Position>{1, 4, 9, 12}) {
    const auto alone = log->event(missing);
    ASSERT_FALSE(alone) << missing;
    EXPECT_EQ(alone.error().code, "log_corrupt");
    EXPECT_EQ(alone.error().message, log->read_from(missing)->next().error().message);
  }
  for (const Position there : std::vector<Position>{5, 8, 13, 20})
    EXPECT_TRUE(log->event(there).value()) << there;
  EXPECT_FALSE(log->event(21).value());
}

TEST_F(RocksEventLog, LargeLogIsReadBackFromTables) {
  const std::string note(10'000, 'n');
  {
    const auto log = opened();
    ASSERT_TRUE(append_groups(*log, 60, 50, note));
  }
  const auto log = opened();
  auto report = verify_chain(*log);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->events, 3000U);
  EXPECT_EQ(read_positions(*log->read_from(1500)), positions_from_to(1451, 3000));
}

}  // namespace
}  // namespace luzia::test
