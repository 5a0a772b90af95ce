#include <atomic>
#include <thread>

#include "adapters/memory/memory_event_log.h"
#include "engine/log/rocks_new_store.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

class Backup : public testing::Test {
 protected:
  TempStore store_;
  std::unique_ptr<EventLog> log_ = opened_store(store_.path());
  std::string target_ = store_.beside("copy");
};

TEST_F(Backup, CopyIsAnIndependentStore) {
  ASSERT_TRUE(
      log_->append(group_with_texts(1, 2, {{1, {{0, "salt", "kept"}}}, {2, {{0, "salt", "secret"}}}})));
  ASSERT_TRUE(erase_and_tell(*log_, 2, 0));
  ASSERT_TRUE(append_groups(*log_, 20, 3));
  auto report = backup_log(*log_, target_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tip, log_->tip());
  EXPECT_EQ(report->events, 63U);

  const auto copy = opened_store(target_);
  EXPECT_EQ(copy->tip(), log_->tip());
  EXPECT_EQ(copy->blob(1, 0), "kept");
  EXPECT_EQ(copy->blob(2, 0).error().code, "blob_erased");
  EXPECT_EQ(read_positions(*copy->read_from(1)), positions_from_to(1, 63));
  ASSERT_TRUE(append_groups(*copy, 1, 1));
  EXPECT_EQ(log_->tip().position, 63U);
}

TEST_F(Backup, EmptyLogCanBeCopied) {
  ASSERT_TRUE(backup_log(*log_, target_));
  EXPECT_EQ(opened_store(target_)->tip(), Tip{});
}

TEST_F(Backup, ReaderCanCreateOne) {
  ASSERT_TRUE(append_groups(*log_, 5, 1));
  ASSERT_TRUE(backup_log(*opened_store(store_.path(), OpenMode::read_only), target_));
  EXPECT_EQ(opened_store(target_)->tip(), log_->tip());
}

TEST_F(Backup, AnArchiveHasWholeGroupsThatTheLogContinues) {
  ASSERT_TRUE(append_groups(*log_, 4, 3));  // 1-3, 4-6, 7-9, 10-12
  const auto report = archive_log(*log_, 8, target_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tip.position, 6U);
  const auto archive = opened_store(target_, OpenMode::read_only);
  EXPECT_EQ(archive->tip(), report->tip);
  EXPECT_EQ(last_group_end(*log_, 6).value(), archive->tip());
  EXPECT_EQ(read_positions(*archive->read_from(1)), positions_from_to(1, 6));
  EXPECT_EQ(log_->tip().position, 12U);
}

TEST_F(Backup, ATextErasedLaterIsLostInAnArchive) {
  ASSERT_TRUE(append_groups(*log_, 1, 1));
  ASSERT_TRUE(log_->append(group_with_texts(
      2, 2, {{2, {{0, "salt", "early"}, {1, "salt", "kept"}}}, {3, {{0, "salt", "late"}}}})));
  ASSERT_TRUE(erase_and_tell(*log_, 2, 0));  // 4
  ASSERT_TRUE(erase_and_tell(*log_, 3, 0));  // 5
  const auto report = archive_log(*log_, 4, target_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->lost_texts, 1U);
  const auto archive = opened_store(target_, OpenMode::read_only);
  EXPECT_EQ(archive->blob(2, 0).error().code, "blob_erased");
  EXPECT_EQ(archive->blob(2, 1), "kept");
  EXPECT_FALSE(archive->blob(3, 0));
  EXPECT_TRUE(verify_chain(*log_));
}

TEST_F(Backup, AnArchiveOfEverythingEqualsABackup) {
  ASSERT_TRUE(append_groups(*log_, 3, 2));
  ASSERT_TRUE(archive_log(*log_, 1'000, target_));
  EXPECT_EQ(opened_store(target_, OpenMode::read_only)->tip(), log_->tip());
}

TEST_F(Backup, NothingIsAddedToAnArchiveButToItsBackup) {
  ASSERT_TRUE(append_groups(*log_, 3, 2));
  ASSERT_TRUE(archive_log(*log_, 4, target_));
  const auto opened = open_store(target_, OpenMode::read_write);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "store_is_archive");
  const std::string again = store_.beside("again");
  ASSERT_TRUE(backup_log(*opened_store(target_, OpenMode::read_only), again));
  ASSERT_TRUE(append_groups(*opened_store(again), 1, 1));
}

TEST_F(Backup, AnArchiveWithoutAGroupIsRefused) {
  ASSERT_TRUE(append_groups(*log_, 1, 3));
  EXPECT_EQ(archive_log(*log_, 2, target_).error().code, "nothing_to_archive");
  EXPECT_FALSE(std::filesystem::exists(target_));
}

TEST_F(Backup, FolderThatIsNotEmptyIsRefused) {
  std::filesystem::create_directory(target_);
  write_file(target_ + "/mine.txt", "do not touch");
  auto report = backup_log(*log_, target_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "target_not_empty");
  EXPECT_EQ(read_file(target_ + "/mine.txt"), "do not touch");
  EXPECT_FALSE(std::filesystem::exists(target_ + "/log"));
}

TEST_F(Backup, CompletedCopyIsNotOverwritten) {
  ASSERT_TRUE(backup_log(*log_, target_));
  const auto mark = CopyMark::set(target_);
  ASSERT_FALSE(mark);
  EXPECT_EQ(mark.error().code, "target_not_empty");
  EXPECT_TRUE(open_store(target_)) << "it is whole still";
}

TEST_F(Backup, EmptyFolderIsUsed) {
  std::filesystem::create_directory(target_);
  EXPECT_TRUE(backup_log(*log_, target_));
}

TEST_F(Backup, RunsBesideAppends) {
  std::atomic<bool> stop = false;
  ASSERT_TRUE(append_groups(*log_, 50, 4));
  std::thread appending([&] {
    while (!stop && append_groups(*log_, 1, 4)) continue;
  });
  const Tip before = log_->tip();
  auto report = backup_log(*log_, target_);
  stop = true;
  appending.join();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GE(report->tip.position, before.position);
}

TEST_F(Backup, InterruptedCopyIsNoStore) {
  ASSERT_TRUE(append_groups(*log_, 5, 1));
  ASSERT_TRUE(backup_log(*log_, target_));
  std::filesystem::remove(target_ + "/watermark");
  EXPECT_EQ(open_store(target_).error().code, "watermark_missing");
}

TEST(BackupOfMemory, IsRefused) {
  TempStore store;
  EXPECT_EQ(backup_log(MemoryEventLog(), store.path()).error().code, "backup_unsupported");
}

TEST_F(Backup, StoppedBackupLeavesNothingBehind) {
  ASSERT_TRUE(append_groups(*log_, 5, 1));
  std::stop_source stop;
  stop.request_stop();
  const auto report = backup_log(*log_, target_, stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "cancelled");
  EXPECT_FALSE(std::filesystem::exists(target_)) << "nor half a copy, nor one that was not verified";
  EXPECT_TRUE(backup_log(*log_, target_)) << "the same folder will do for the next one";
}

}  // namespace
}  // namespace luzia::test
