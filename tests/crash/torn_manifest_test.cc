// After a power loss tore the end of the manifest, the store opens without loss. The same damage to a durable
// part is refused and changes nothing.
#include <gtest/gtest.h>

#include "engine/log/rocks_torn_manifest.h"
#include "engine/log/verify_chain.h"
#include "tests/engine/log/temp_store.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

class TornManifest : public testing::Test {
 protected:
  /// Two copies of a store: before the manifest records the flush of its write buffers, and after it without
  /// the write-ahead log.
  TornManifest() {
    const auto log = opened_store(store_.path());
    LogWriter writer(*log);
    for (int i = 0; i < kJobs; ++i) {
      writer.add(queued("job" + std::to_string(i), "alpha", "shell", text_of(i)));
      writer.commit();
    }
    copy_store(store_.path(), before());
    manifest_before_ = read_file(manifest(before()));
    EXPECT_TRUE(flush_log(*log));
    copy_store(store_.path(), after());
    manifest_after_ = read_file(manifest(after()));
    for (const auto& entry : std::filesystem::directory_iterator(after() + "/log")) {
      const auto& table = entry.path();
      if (table.extension() == ".sst")
        std::filesystem::copy(table, before() + "/log/" + table.filename().string());
    }
  }
  static constexpr int kJobs = 12;
  static std::string text_of(int i) { return std::string(300, 'a') + std::to_string(i); }

  std::string before() const { return store_.beside("before"); }
  std::string after() const { return store_.beside("after"); }
  static std::string manifest(const std::string& store) {
    std::string name = read_file(store + "/log/CURRENT");
    name.pop_back();
    return store + "/log/" + name;
  }
  /// The size of the manifest before the flush; the added bytes follow.
  std::size_t added() const { return manifest_before_.size(); }
  std::string damaged_at(std::size_t byte) const {
    std::string manifest = manifest_after_;
    manifest[byte] = static_cast<char>(manifest[byte] ^ 0x40);
    return manifest;
  }
  static void expect_everything(const EventLog& log) {
    EXPECT_EQ(verify_chain(log)->events, kJobs);
    for (int i = 0; i < kJobs; ++i) EXPECT_EQ(log.blob(i + 1, 0), text_of(i));
  }
  static bool left_over(const std::string& store) {
    for (const auto& entry : std::filesystem::directory_iterator(store + "/log")) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".damaged") || name.ends_with(".dbtmp")) return true;
    }
    return false;
  }

  TempStore store_;
  std::string manifest_before_, manifest_after_;
};

TEST_F(TornManifest, IsDroppedIfNothingDependsOnIt) {
  ASSERT_GT(manifest_after_.size(), added());
  for (std::size_t byte = added(); byte < manifest_after_.size(); ++byte) {
    const std::string copy = store_.beside("copy");
    copy_store(before(), copy);
    write_file(manifest(copy), damaged_at(byte));
    const auto log = open_store(copy);
    ASSERT_TRUE(log) << "byte " << byte << ": " << log.error().message;
    expect_everything(**log);
    EXPECT_FALSE(left_over(copy));
  }
}

TEST_F(TornManifest, IsRefusedIfSomethingDependsOnIt) {
  std::size_t refused = 0, last_refused = 0;
  for (std::size_t byte = 0; byte < manifest_after_.size(); byte += 3) {
    const std::string copy = store_.beside("copy");
    copy_store(after(), copy);
    write_file(manifest(copy), damaged_at(byte));
    if (const auto log = open_store(copy); log) {
      expect_everything(**log);
      continue;
    }
    ++refused;
    last_refused = byte;
    EXPECT_EQ(read_file(manifest(copy)), damaged_at(byte)) << "it stays as it was";
    EXPECT_FALSE(left_over(copy));
  }
  EXPECT_GE(refused, manifest_before_.size() / 3);
  EXPECT_GT(last_refused, added()) << "the log misses a flush that the manifest lost";
}

TEST_F(TornManifest, IsAnErrorForReaders) {
  write_file(manifest(before()), damaged_at(manifest_after_.size() - 1));
  EXPECT_EQ(open_store(before(), OpenMode::read_only).error().code, "log_corrupt");
  EXPECT_TRUE(open_store(before()));
  EXPECT_TRUE(open_store(before(), OpenMode::read_only));
}

TEST_F(TornManifest, EndsAfterItsLastWholeRecord) {
  EXPECT_EQ(end_of_whole_records(manifest_after_), manifest_after_.size());
  for (std::size_t byte = 0; byte < manifest_after_.size(); ++byte) {
    EXPECT_LE(end_of_whole_records(damaged_at(byte)), byte);
    EXPECT_LE(end_of_whole_records(std::string_view(manifest_after_).substr(0, byte)), byte);
  }
  EXPECT_EQ(end_of_whole_records(damaged_at(added())), added());
}

}  // namespace
}  // namespace luzia::test
