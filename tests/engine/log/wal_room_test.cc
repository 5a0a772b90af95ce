// The write-ahead log is extended with zeros beyond its last record, so that a sync does not have to store a
// new file size. The zeros are no events and are cut when the file is closed; without disk space the log
// works without them.
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "engine/log/rocks_wal_room.h"
#include "engine/log/verify_chain.h"
#include "tests/engine/log/every_byte.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

std::string newest_wal(const std::string& store) {
  std::string newest;
  for (const auto& entry : fs::directory_iterator(store + "/log")) {
    if (entry.path().extension() == ".log") newest = std::max(newest, entry.path().string());
  }
  return newest;
}

std::size_t zeros_at_end(const std::string& bytes) {
  const auto last = bytes.find_last_not_of('\0');
  return bytes.size() - (last == std::string::npos ? 0 : last + 1);
}

TEST(WalRoom, IsZeroedAndCutWhenClosed) {
  const TempStore store;
  constexpr std::size_t kLeast = 32 << 10;
  auto log = opened_store(store.path());
  ASSERT_TRUE(append_groups(*log, 1, 2, "the first"));
  const std::string wal = newest_wal(store.path());
  const auto size = fs::file_size(wal);
  EXPECT_GE(zeros_at_end(read_file(wal)), kLeast);
  ASSERT_TRUE(append_groups(*log, 20, 2, "in the room there is"));
  EXPECT_EQ(fs::file_size(wal), size);
  ASSERT_TRUE(append_groups(*log, 40, 2, std::string(2'000, 'x')));
  EXPECT_GT(fs::file_size(wal), size);
  EXPECT_GE(zeros_at_end(read_file(wal)), 1U);
  log.reset();
  EXPECT_LT(zeros_at_end(read_file(wal)), 64U);  // a record itself may end in zeros
}

TEST(WalRoom, HoldsNoEventAfterAKill) {
  const TempStore store;
  const std::string copy = store.beside("copy");  // as a killed process leaves it
  const auto log = opened_store(store.path());
  for (Position tip = 0; tip < 300; tip += 20) {
    ASSERT_TRUE(append_groups(*log, 10, 2, std::string(tip * 10, 'x')));
    copy_store(store.path(), copy);
    for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write}) {
      const auto found = open_store(copy, mode);
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_EQ((*found)->tip().position, tip + 20);
      EXPECT_EQ(verify_chain(**found)->events, tip + 20);
    }
  }
}

/// A killed daemon's last group, cut within its record (at every byte, see every_byte.h), with zeros after
/// the cut. If it was not acknowledged, it is dropped; if it was, it is reported missing.
TEST(WalRoom, AfterATornRecordEndsTheLog) {
  constexpr std::size_t kSamples = 60;
  const TempStore store;
  const std::string copy = store.beside("copy");
  const auto log = opened_store(store.path());
  ASSERT_TRUE(append_groups(*log, 3, 2, "kept"));
  const std::string watermark = read_file(store.path() + "/watermark");
  const std::string before = read_file(newest_wal(store.path()));
  ASSERT_TRUE(append_groups(*log, 1, 2, "torn"));
  const std::string after = read_file(newest_wal(store.path()));
  const std::size_t begin = before.size() - zeros_at_end(before), end = after.size() - zeros_at_end(after);
  ASSERT_LT(begin, end);
  for (std::size_t cut = begin; cut < end; cut += byte_stride(end - begin, kSamples)) {
    copy_store(store.path(), copy);
    write_file(newest_wal(copy), after.substr(0, cut) + std::string(after.size() - cut, '\0'));
    EXPECT_EQ(open_store(copy, OpenMode::read_only).error().code, "log_shorter_than_watermark") << cut;
    write_file(copy + "/watermark", watermark);
    auto found = open_store(copy);
    ASSERT_TRUE(found) << "cut at " << cut << ": " << found.error().message;
    EXPECT_EQ((*found)->tip().position, 6U) << cut;
    ASSERT_TRUE(append_groups(**found, 1, 2, "after it")) << cut;
    EXPECT_EQ(verify_chain(**found)->events, 8U) << cut;
  }
}

TEST(WalRoom, EndOfABlockFollowsItsLastFragment) {
  const auto fragment = [](const std::string& bytes) {
    const auto length = bytes.size();
    return std::string("\x12\x34\x56\x78", 4) + static_cast<char>(length & 0xff) +
           static_cast<char>(length >> 8) + '\x01' + bytes;
  };
  const std::string room(100, '\0'), nul(50, '\0');
  const auto end = [](const std::string& block) { return walk_wal_block(block).end; };
  const auto stepped_over = [](const std::string& block) { return walk_wal_block(block).stepped_over; };
  EXPECT_EQ(end(""), 0U);
  EXPECT_EQ(end(room), 0U);
  EXPECT_EQ(end(fragment("one") + room), 10U);
  EXPECT_EQ(end(fragment("one") + fragment("two")), 20U);
  EXPECT_EQ(end(fragment("one") + fragment("") + room), 17U);
  EXPECT_EQ(end(fragment("one") + fragment(nul) + room), 10U + 57U);
  EXPECT_EQ(end(fragment(std::string(300, 'x')) + room), 307U);
  EXPECT_EQ(end("abc"), 3U);
  for (const auto& sound : {std::string(), room, fragment("one") + room, fragment("one") + fragment("two"),
                            fragment(nul) + fragment("") + room, std::string("abc")})
    EXPECT_FALSE(stepped_over(sound)) << sound.size();
  // `cut` ends with the file; in `torn` the second record has lost its header.
  const std::string cut = fragment(std::string(300, 'x')).substr(0, 200);
  const std::string torn = fragment("one") + nul + "torn" + room;
  EXPECT_EQ(end(cut), 200U);
  EXPECT_TRUE(stepped_over(cut));
  EXPECT_EQ(end(torn), 10U + 54U);
  EXPECT_TRUE(stepped_over(torn));
}

/// With an old watermark, as after a power loss. RocksDB takes a header of zeros for the unused room at the
/// end, and would end the log there.
TEST(WalRoom, ZeroedHeaderBeforeGroupsIsDamage) {
  const TempStore store;
  const std::string copy = store.beside("copy");
  const auto log = opened_store(store.path());
  ASSERT_TRUE(append_groups(*log, 1, 2, "kept"));
  const std::string watermark = read_file(store.path() + "/watermark");
  ASSERT_TRUE(append_groups(*log, 5, 2, "more"));
  const std::string wal = read_file(newest_wal(store.path()));
  constexpr std::size_t kHeader = 7;
  std::size_t at = 0;
  for (Position first = 1; first <= 11; first += 2) {
    std::string bytes = wal;
    const std::size_t length = static_cast<std::uint8_t>(wal[at + 4]) | static_cast<std::uint8_t>(wal[at + 5])
                                                                            << 8;
    bytes.replace(at, kHeader, std::string(kHeader, '\0'));
    at += kHeader + length;
    if (first == 1) continue;  // holds the watermark's own group
    copy_store(store.path(), copy);
    write_file(copy + "/watermark", watermark);
    write_file(newest_wal(copy), bytes);
    const bool last = first == 11;
    for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write}) {
      const auto found = open_store(copy, mode);
      EXPECT_EQ(found.has_value(), last) << first;
      if (found) {
        EXPECT_EQ((*found)->tip().position, 10U);
      } else {
        EXPECT_EQ(found.error().code, "log_corrupt") << found.error().message;
      }
    }
    EXPECT_EQ(read_file(newest_wal(copy)) == bytes, !last) << first;  // nothing was dropped
  }
}

TEST(WalRoom, KeepsARecordThatEndsInZeros) {
  const TempStore store;
  const std::string copy = store.beside("copy");
  const auto log = opened_store(store.path());
  for (Position position = 1; position <= 8; ++position) {
    const Blob text{0, "salt", std::string(std::size_t{20'000} * position, '\0')};
    ASSERT_TRUE(log->append(group_with_texts(position, 1, {{position, {text}}})));
    copy_store(store.path(), copy);
    const auto found = opened_store(copy, OpenMode::read_only);
    EXPECT_EQ(found->tip().position, position);
    EXPECT_EQ(found->blob(position, 0).value().size(), 20'000 * position);
  }
}

class Full : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  using FSRandomRWFileOwnerWrapper::FSRandomRWFileOwnerWrapper;
  rocksdb::IOStatus Write(uint64_t offset, const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    (void)target()->Write(offset, {bytes.data(), bytes.size() / 2}, options, debug);
    return rocksdb::IOStatus::NoSpace("No space left on device");
  }
};

/// A disk on which a write-ahead log cannot be extended beyond its end.
class NoRoom : public rocksdb::FileSystemWrapper {
 public:
  NoRoom() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "NoRoom"; }
  rocksdb::IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSRandomRWFile> plain;
    auto status = target()->NewRandomRWFile(path, options, &plain, debug);
    const bool wal = path.ends_with(".log");
    if (status.ok() && wal) *file = std::make_unique<Full>(std::move(plain));
    if (status.ok() && !wal) *file = std::move(plain);
    return status;
  }
};

TEST(WalRoom, IsOptional) {
  const TempStore store;
  const auto env = rocksdb::NewCompositeEnv(std::make_shared<NoRoom>());
  auto opened = open_rocks_event_log(store.path(), {.env = env.get()});
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_TRUE(append_groups(**opened, 50, 2, "on a full disk"));
  EXPECT_LT(zeros_at_end(read_file(newest_wal(store.path()))), 64U);
  const std::string copy = store.beside("copy");
  copy_store(store.path(), copy);
  EXPECT_EQ(opened_store(copy)->tip().position, 100U);
}

}  // namespace
}  // namespace luzia::test
