#include "engine/log/watermark.h"

#include <cstring>

namespace luzia {
namespace {

// Slot: magic, u32 zero, u64 position, chain hash, u64 checksum64 of everything before it. Little-endian.
constexpr char kSlotMagic[] = {'L', 'Z', 'W', '1', 0, 0, 0, 0};
constexpr std::size_t kPositionOffset = 8;
constexpr std::size_t kChainOffset = 16;
constexpr std::size_t kChecksumOffset = kChainOffset + sizeof(Hash);

std::string u64_bytes(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

std::uint64_t get_u64(const std::uint8_t* from) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return value;
}

}  // namespace

std::string encode_watermark_slot(const Tip& tip) {
  std::string slot(kSlotMagic, sizeof kSlotMagic);
  slot += u64_bytes(tip.position);
  slot += as_text(tip.chain);
  slot += u64_bytes(checksum64(as_bytes(slot)));
  return slot;
}

std::optional<Tip> decode_watermark_slot(Bytes slot) {
  if (slot.size() < kWatermarkSlotSize || std::memcmp(slot.data(), kSlotMagic, sizeof kSlotMagic) != 0)
    return std::nullopt;
  if (get_u64(slot.data() + kChecksumOffset) != checksum64(slot.first(kChecksumOffset))) return std::nullopt;
  Tip tip;
  tip.position = get_u64(slot.data() + kPositionOffset);
  std::memcpy(tip.chain.data(), slot.data() + kChainOffset, tip.chain.size());
  return tip;
}

std::optional<Tip> WatermarkSlots::newest() const {
  if (!slots[0]) return slots[1];
  if (!slots[1]) return slots[0];
  return slots[0]->position >= slots[1]->position ? slots[0] : slots[1];
}

std::size_t WatermarkSlots::next_slot() const {
  if (!slots[0]) return 0;
  if (!slots[1]) return 1;
  return slots[0]->position >= slots[1]->position ? 1 : 0;
}

WatermarkSlots decode_watermark(Bytes file) {
  WatermarkSlots read;
  for (std::size_t i = 0; i < kWatermarkSlots; ++i) {
    const std::size_t at = i * kWatermarkSlotDistance;
    if (file.size() >= at + kWatermarkSlotSize)
      read.slots[i] = decode_watermark_slot(file.subspan(at, kWatermarkSlotSize));
  }
  return read;
}

}  // namespace luzia
