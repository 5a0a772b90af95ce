// The bytes of STORE/watermark: how far the log was acknowledged, in two checksummed slots. Pure;
// rocks_watermark.h does the I/O. Needed because RocksDB's recovery may silently drop acknowledged records if
// its write-ahead log is damaged.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/log/group.h"

namespace luzia {

/// The slots are in different pages, so a torn write or a bad sector leaves the other one.
constexpr std::size_t kWatermarkSlots = 2;
constexpr std::size_t kWatermarkSlotDistance = 4'096;
constexpr std::size_t kWatermarkSlotSize = 56;
constexpr std::size_t kWatermarkFileSize = kWatermarkSlots * kWatermarkSlotDistance;

std::string encode_watermark_slot(const Tip& tip);

/// nullopt: no slot, or a damaged one.
std::optional<Tip> decode_watermark_slot(Bytes slot);

/// The content of a watermark file.
struct WatermarkSlots {
  std::array<std::optional<Tip>, kWatermarkSlots> slots;

  /// The slot with the greater position; nullopt: both are damaged.
  std::optional<Tip> newest() const;
  /// The slot to write next: never the newest.
  std::size_t next_slot() const;
};
WatermarkSlots decode_watermark(Bytes file);

}  // namespace luzia
