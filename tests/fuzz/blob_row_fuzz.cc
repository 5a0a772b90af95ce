// Two readers of small rows. A valid row of texts equals what storing its texts gives. A watermark's slots
// are whole or absent, and the next write never overwrites the newest slot.
#include <cstdint>
#include <string>

#include "engine/log/blob_row.h"
#include "engine/log/watermark.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

void check_row(std::string_view row) {
  const auto entries = decode_blob_row(row);
  if (!entries) return;
  for (const BlobEntry& entry : *entries) {
    require(entry.state == BlobState::present || entry.content.empty(), "nothing is left of what is gone");
    require(entry.content.size() <= row.size(), "texts lie in the row");
  }
  const std::string again = encode_blob_row(*entries);
  const auto read_again = decode_blob_row(again);
  require(read_again && read_again->size() == entries->size(), "a row reads back");
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const BlobEntry &one = (*entries)[i], &other = (*read_again)[i];
    require(one.event == other.event && one.index == other.index && one.state == other.state &&
                one.salt == other.salt && one.content == other.content,
            "with the same texts");
  }
}

void check_watermark(Bytes file) {
  const WatermarkSlots read = decode_watermark(file);
  const auto newest = read.newest();
  require(read.next_slot() < kWatermarkSlots, "there are two slots");
  if (!newest) return;
  for (const auto& slot : read.slots) require(!slot || slot->position <= newest->position, "the newest");
  const std::string slot = encode_watermark_slot(*newest);
  require(decode_watermark_slot({reinterpret_cast<const std::uint8_t*>(slot.data()), slot.size()}) == newest,
          "a slot reads back");
  require(read.slots[read.next_slot()] != newest || read.slots[0] == read.slots[1],
          "the newest is never written over");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  check_row(input);
  check_watermark(as_bytes(input));
}
