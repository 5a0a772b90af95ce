// Cuts the power at any disk operation. tools/dev/campaign power runs as many seeds as time allows.
#include "tests/crash/power_loss.h"

#include <gtest/gtest.h>

#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

std::string lines_of(const std::vector<std::string>& story) {
  std::string text;
  for (const std::string& line : story) text += line + '\n';
  return text;
}

TEST(PowerLoss, KeepsEveryAcknowledgedEventAndLeavesNoHole) {
  constexpr std::uint64_t kSeeds = 48;
  const Histories histories;
  const TempStore place;
  PowerLoss::Counts all;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PowerLoss run(histories, seed, place.beside("run"));
    const std::string broken = run.run();
    ASSERT_EQ(broken, "") << "seed " << seed << '\n' << lines_of(run.story());
    all += run.counts();
  }
  // One that tears the manifest of a database that is being made.
  constexpr std::uint64_t kTearsWhileMaking = 11'000'079;
  PowerLoss torn(histories, kTearsWhileMaking, place.beside("torn"));
  EXPECT_EQ(torn.run(), "") << lines_of(torn.story());
  // The runs reached the situations that they are meant to test.
  EXPECT_GT(all.losses, 150U);
  EXPECT_GT(all.while_opening, 20U);
  EXPECT_GT(all.acknowledged_groups, 300U);
  EXPECT_GT(all.in_flight_kept, 0U);
  EXPECT_GT(all.flushes, 50U);
}

/// Tests that the fragile disk itself loses what it is meant to lose.
class FragileStore : public testing::Test {
 protected:
  FragileStore() : fragile_(place_.path()) { std::filesystem::create_directories(place_.path()); }
  rocksdb::FileSystem& files() { return fragile_.disk(); }
  std::string path(const std::string& name) const { return place_.path() + "/" + name; }

  void write(const std::string& name, const std::string& bytes, bool sync) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    ASSERT_TRUE(files().NewWritableFile(path(name), {}, &file, nullptr).ok());
    ASSERT_TRUE(file->Append(bytes, {}, nullptr).ok());
    ASSERT_TRUE(!sync || file->Sync({}, nullptr).ok());
    ASSERT_TRUE(file->Close({}, nullptr).ok());
  }
  void sync_folder() {
    std::unique_ptr<rocksdb::FSDirectory> folder;
    ASSERT_TRUE(files().NewDirectory(place_.path(), {}, &folder, nullptr).ok());
    ASSERT_TRUE(folder->Fsync({}, nullptr).ok());
  }
  /// The contents found under `name` after power losses with many seeds, each starting with `prepare`.
  std::set<std::string> found_after_losses(const std::string& name, const std::function<void()>& prepare) {
    std::set<std::string> found;
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
      prepare();
      Dice dice(seed);
      fragile_.disk().come_back(dice);
      found.insert(std::filesystem::exists(path(name)) ? read_file(path(name)) : "(none)");
    }
    return found;
  }
  TempStore place_;
  FragileEnv fragile_;
};

TEST_F(FragileStore, LosesUnsyncedBytes) {
  const auto found = found_after_losses("a", [this] {
    write("a", "unsynced", false);
    sync_folder();
  });
  EXPECT_TRUE(found.contains(""));
  EXPECT_TRUE(found.contains("unsynced"));
  EXPECT_GT(found.size(), 4U) << "cut anywhere, or zeros in its place";
}

TEST_F(FragileStore, LosesSyncedFilesWithoutADurableName) {
  const auto found = found_after_losses("a", [this] {
    (void)files().DeleteFile(path("a"), {}, nullptr);
    sync_folder();
    write("a", "synced", true);
  });
  EXPECT_EQ(found, (std::set<std::string>{"(none)", "synced"}));
}

TEST_F(FragileStore, KeepsFilesSyncedWithTheirFolder) {
  const auto found = found_after_losses("a", [this] {
    write("a", "synced", true);
    sync_folder();
  });
  EXPECT_EQ(found, (std::set<std::string>{"synced"}));
}

TEST_F(FragileStore, RestoresUnsyncedRemovals) {
  const auto found = found_after_losses("a", [this] {
    write("a", "old", true);
    write("b", "new", true);
    sync_folder();
    ASSERT_TRUE(files().RenameFile(path("b"), path("a"), {}, nullptr).ok());
  });
  EXPECT_EQ(found, (std::set<std::string>{"old", "new"}));
}

TEST_F(FragileStore, IgnoresFsyncsAfterAFailedOne) {
  const auto found = found_after_losses("a", [this] {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    ASSERT_TRUE(files().NewWritableFile(path("a"), {}, &file, nullptr).ok());
    sync_folder();
    ASSERT_TRUE(file->Append("bytes", {}, nullptr).ok());
    fragile_.disk().fail({.op = DiskOp::sync});
    EXPECT_FALSE(file->Sync({}, nullptr).ok());
    fragile_.disk().fix();
    EXPECT_TRUE(file->Sync({}, nullptr).ok());
  });
  EXPECT_TRUE(found.contains(""));
}

}  // namespace
}  // namespace luzia::test
