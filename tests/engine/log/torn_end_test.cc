// If the power goes, parts of the group in flight may be on the disk. It was never acknowledged, so the store
// opens without it. The same damage anywhere else is refused.
#include <gtest/gtest.h>

#include "engine/log/rocks_log_db.h"
#include "engine/log/rocks_torn_end.h"
#include "engine/log/verify_chain.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

const std::string kLong(4'000, 'x');  // makes a group span several sectors

/// Long events in groups 1-2, 3-4, ... of the write-ahead log. The watermark is the one after `acknowledged`
/// groups, as after a power loss.
class TornStore : public testing::Test {
 protected:
  void write(int groups, int acknowledged) {
    const auto log = opened_store(store_.path());
    ASSERT_TRUE(append_groups(*log, acknowledged, 2, kLong));
    const std::string watermark = read_file(store_.path() + "/watermark");
    ASSERT_TRUE(append_groups(*log, groups - acknowledged, 2, kLong));
    watermark_ = watermark;
  }
  /// Zeroes one sector of the group's record.
  void tear(Position group) {
    write_file(store_.path() + "/watermark", watermark_);
    std::string path;
    for (const auto& entry : std::filesystem::directory_iterator(store_.path() + "/log")) {
      if (entry.path().extension() == ".log") path = entry.path();
    }
    std::string bytes = read_file(path);
    const auto key = bytes.find(position_key(group));
    ASSERT_NE(key, std::string::npos);
    const auto sector = (key / 512 + 3) * 512;
    write_file(path, bytes.replace(sector, 512, std::string(512, '\0')));
  }
  TempStore store_;
  std::string watermark_;
};

TEST_F(TornStore, OpensWithoutItsUnacknowledgedGroup) {
  write(5, 4);
  tear(9);
  for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write, OpenMode::read_write}) {
    auto log = open_store(store_.path(), mode);
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ((*log)->tip().position, 8U);
    EXPECT_EQ(verify_chain(**log)->events, 8U);
  }
  const auto log = opened_store(store_.path());
  ASSERT_TRUE(append_groups(*log, 3, 2, "after it"));
  EXPECT_EQ(verify_chain(*log)->events, 14U);
}

TEST_F(TornStore, RefusesDamageToAcknowledgedGroups) {
  write(5, 5);
  tear(9);
  EXPECT_EQ(open_store(store_.path()).error().code, "log_shorter_than_watermark");
}

TEST_F(TornStore, RefusesDamageBeforeAnotherGroup) {
  write(5, 3);
  tear(7);
  for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write})
    EXPECT_EQ(open_store(store_.path(), mode).error().code, "log_corrupt");
}

TEST(GreatestGroup, IsFoundInRawBytes) {
  const auto record = [](Position position, std::size_t size) {
    std::string value = Group::encode(group_of(position, 1, std::string(size, 'y')), Hash{});
    std::string length;
    for (std::size_t left = value.size();; left >>= 7) {
      length += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
      if (left <= 0x7f) break;
    }
    return "\x08" + position_key(position) + length + value;
  };
  EXPECT_EQ(greatest_group_in(""), 0U);
  EXPECT_EQ(greatest_group_in("LZG1"), 0U);
  EXPECT_EQ(greatest_group_in("noise" + record(7, 10) + record(9, 300) + "noise LZG1 noise"), 9U);
  EXPECT_EQ(greatest_group_in(record(1 << 20, 70'000)), 1U << 20);
}

}  // namespace
}  // namespace luzia::test
