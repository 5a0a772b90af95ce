// STORE/watermark as bytes: how far the log was acknowledged, in two checksummed slots. Pure;
// rocks_watermark.h does the I/O. Why: RocksDB's recovery may drop acknowledged records silently when its WAL
// is damaged; the watermark tells.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/log/group.h"

namespace luzia {

/// Slots stand in different pages, so that one torn write or bad sector leaves the other.
constexpr std::size_t kWatermarkSlots = 2;
constexpr std::size_t kWatermarkSlotDistance = 4'096;
constexpr std::size_t kWatermarkSlotSize = 56;
constexpr std::size_t kWatermarkFileSize = kWatermarkSlots * kWatermarkSlotDistance;

std::string encode_watermark_slot(const Tip& tip);

/// nullopt: no slot, or damaged.
std::optional<Tip> decode_watermark_slot(Bytes slot);

/// What a watermark file says.
struct WatermarkSlots {
  std::array<std::optional<Tip>, kWatermarkSlots> slots;

  /// The slot with the greater position; nullopt when both are damaged.
  std::optional<Tip> newest() const;
  /// Where the next write goes: never over the newest.
  std::size_t next_slot() const;
};
WatermarkSlots decode_watermark(Bytes file);

}  // namespace luzia
