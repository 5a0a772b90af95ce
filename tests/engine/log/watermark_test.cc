#include "engine/log/watermark.h"

#include <rocksdb/db.h>

#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

Tip tip_at(Position position) {
  return {position, blake2b({as_bytes(std::to_string(position))})};
}

std::string file_of(const std::string& first, const std::string& second) {
  std::string file = first;
  file.resize(kWatermarkSlotDistance);
  file += second;
  file.resize(kWatermarkFileSize);
  return file;
}

TEST(WatermarkSlot, ReadsBackAsWritten) {
  const std::string slot = encode_watermark_slot(tip_at(0x1122334455667788));
  EXPECT_EQ(slot.size(), kWatermarkSlotSize);
  EXPECT_EQ(decode_watermark_slot(as_bytes(slot)), tip_at(0x1122334455667788));
}

TEST(WatermarkSlot, AnyFlippedBitDamagesIt) {
  const std::string slot = encode_watermark_slot(tip_at(7));
  for (std::size_t bit = 0; bit < slot.size() * 8; ++bit) {
    std::string flipped = slot;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(decode_watermark_slot(as_bytes(flipped)), std::nullopt) << "bit " << bit;
  }
}

TEST(WatermarkSlot, TruncatedIsDamaged) {
  const std::string slot = encode_watermark_slot(tip_at(7));
  for (std::size_t size = 0; size < slot.size(); ++size) {
    EXPECT_EQ(decode_watermark_slot(as_bytes(slot.substr(0, size))), std::nullopt);
  }
}

TEST(WatermarkSlots, GreaterPositionCountsAndIsNeverOverwritten) {
  const auto low = encode_watermark_slot(tip_at(3)), high = encode_watermark_slot(tip_at(4));
  const auto first = decode_watermark(as_bytes(file_of(high, low)));
  EXPECT_EQ(first.newest(), tip_at(4));
  EXPECT_EQ(first.next_slot(), 1U);
  const auto second = decode_watermark(as_bytes(file_of(low, high)));
  EXPECT_EQ(second.newest(), tip_at(4));
  EXPECT_EQ(second.next_slot(), 0U);
}

TEST(WatermarkSlots, DamagedSlotIsWrittenNext) {
  const auto good = encode_watermark_slot(tip_at(3));
  const auto first_torn = decode_watermark(as_bytes(file_of("torn", good)));
  EXPECT_EQ(first_torn.newest(), tip_at(3));
  EXPECT_EQ(first_torn.next_slot(), 0U);
  const auto second_torn = decode_watermark(as_bytes(file_of(good, "torn")));
  EXPECT_EQ(second_torn.newest(), tip_at(3));
  EXPECT_EQ(second_torn.next_slot(), 1U);
}

TEST(WatermarkSlots, DamagedSlotsGiveNoWatermark) {
  EXPECT_EQ(decode_watermark(as_bytes(file_of("torn", "torn"))).newest(), std::nullopt);
  EXPECT_EQ(decode_watermark({}).newest(), std::nullopt);
}

/// A store of ten groups of two events, to be changed by the tests.
class StoreWatermark : public testing::Test {
 protected:
  StoreWatermark() {
    const auto log = opened_store(store_.path());
    for (int i = 0; i < 10; ++i) {
      if (i == 5) copy_store(store_.path(), earlier_);
      EXPECT_TRUE(append_groups(*log, 1, 2));
    }
    tip_ = log->tip();
  }
  std::string watermark() const { return store_.path() + "/watermark"; }
  /// The error of both ways to open the store.
  std::string refusal() const {
    auto reading = open_store(store_.path(), OpenMode::read_only);
    auto writing = open_store(store_.path());
    if (reading || writing) return "opened";
    EXPECT_EQ(reading.error().code, writing.error().code);
    EXPECT_THAT(writing.error().hint, HasSubstr("backup"));
    return writing.error().code;
  }
  TempStore store_;
  std::string earlier_ = store_.beside("earlier");  // the store as it was after five groups
  Tip tip_;
};

TEST_F(StoreWatermark, HoldsTheTipAfterEachGroup) {
  EXPECT_EQ(decode_watermark(as_bytes(read_file(watermark()))).newest(), tip_);
  EXPECT_EQ(decode_watermark(as_bytes(read_file(earlier_ + "/watermark"))).newest()->position, 10U);
}

TEST_F(StoreWatermark, ShorterLogIsRefusedAndUnchanged) {
  std::filesystem::remove_all(store_.path() + "/log");
  std::filesystem::copy(earlier_ + "/log", store_.path() + "/log");
  EXPECT_EQ(refusal(), "log_shorter_than_watermark");
  auto error = open_store(store_.path()).error();
  EXPECT_THAT(error.message, AllOf(HasSubstr("position 10"), HasSubstr("position 20")));
  EXPECT_EQ(decode_watermark(as_bytes(read_file(watermark()))).newest(), tip_);
}

TEST_F(StoreWatermark, VanishedLogIsRefused) {
  std::filesystem::remove_all(store_.path() + "/log");
  EXPECT_EQ(refusal(), "log_shorter_than_watermark");
}

TEST_F(StoreWatermark, LogThatLostItsCurrentFileIsRefusedAndKept) {
  std::filesystem::remove(store_.path() + "/log/CURRENT");
  EXPECT_EQ(refusal(), "log_shorter_than_watermark");
  std::filesystem::remove(watermark());
  EXPECT_EQ(open_store(store_.path()).error().code, "log_corrupt");
}

TEST_F(StoreWatermark, InterruptedCreationIsFinished) {
  const std::string fresh = store_.beside("fresh");
  opened_store(fresh).reset();
  std::filesystem::remove_all(fresh + "/log");
  {
    // As if the power had gone between RocksDB's creation of the database and that of our column families.
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, fresh + "/log", &db).ok());
    delete db;
  }
  EXPECT_EQ(open_store(fresh, OpenMode::read_only).error().code, "no_store");
  auto log = open_store(fresh);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_TRUE(append_groups(**log, 1, 1));
}

TEST_F(StoreWatermark, MissingWatermarkIsRefusedUnlessTheLogIsEmpty) {
  std::filesystem::remove(watermark());
  EXPECT_EQ(refusal(), "watermark_missing");

  const std::string empty = store_.beside("empty");
  opened_store(empty).reset();
  std::filesystem::remove(empty + "/watermark");
  EXPECT_TRUE(open_store(empty));
}

TEST_F(StoreWatermark, OneTornSlotIsHarmless) {
  for (const std::size_t slot : {0, 1}) {
    std::string bytes = read_file(watermark());
    bytes[slot * kWatermarkSlotDistance + 20] ^= 1;
    write_file(watermark(), bytes);
    auto log = open_store(store_.path());
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ((*log)->tip(), tip_);
    const auto slots = decode_watermark(as_bytes(read_file(watermark())));
    EXPECT_EQ(slots.newest(), tip_);
  }
}

TEST_F(StoreWatermark, BothSlotsTornIsRefused) {
  std::string bytes = read_file(watermark());
  bytes[20] ^= 1;
  bytes[kWatermarkSlotDistance + 20] ^= 1;
  write_file(watermark(), bytes);
  EXPECT_EQ(refusal(), "watermark_damaged");
  write_file(watermark(), "");
  EXPECT_EQ(refusal(), "watermark_damaged");
}

TEST_F(StoreWatermark, LogOfTheSameLengthButAnotherHistoryIsRefused) {
  const std::string other = store_.beside("other");
  {
    const auto log = opened_store(other);
    ASSERT_TRUE(append_groups(*log, 10, 2, "another history"));
  }
  std::filesystem::copy(other + "/watermark", watermark(), std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(refusal(), "watermark_mismatch");
}

TEST_F(StoreWatermark, OlderWatermarkIsUpdated) {
  std::filesystem::copy(earlier_ + "/watermark", watermark(),
                        std::filesystem::copy_options::overwrite_existing);
  opened_store(store_.path()).reset();
  EXPECT_EQ(decode_watermark(as_bytes(read_file(watermark()))).newest(), tip_);
}

TEST_F(StoreWatermark, PersonMayAcceptTheLogAsItIs) {
  std::filesystem::remove_all(store_.path() + "/log");
  std::filesystem::copy(earlier_ + "/log", store_.path() + "/log");
  {
    auto log = open_store(store_.path(), OpenMode::read_write, true);
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ((*log)->tip().position, 10U);
    ASSERT_TRUE(append_groups(**log, 1, 1));
  }
  EXPECT_EQ(opened_store(store_.path())->tip().position, 11U);
}

}  // namespace
}  // namespace luzia::test
