// One row of column family `blobs`: all erasable texts of one commit group. LOG_FORMAT.md shows its bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/log/group.h"

namespace luzia {

/// Erased and lost: nothing is left of content and salt but the fact. Lost: a salvage found it damaged or
/// gone.
enum class BlobState : std::uint32_t { present = 1, erased = 2, lost = 3 };

/// A text in its place.
struct BlobEntry {
  Position event = 0;
  std::uint32_t index = 0;
  BlobState state = BlobState::present;
  std::string_view salt;
  std::string_view content;
};

std::string encode_blob_row(const std::vector<PendingGroup::PlacedBlob>& blobs);
std::string encode_blob_row(const std::vector<BlobEntry>& entries);

/// Entries point into `row`. nullopt: no valid row.
std::optional<std::vector<BlobEntry>> decode_blob_row(std::string_view row);

/// As much of a row as can be read from its front. `whole`: all of it.
struct BlobRowFront {
  std::vector<BlobEntry> entries;
  bool whole = false;
};
BlobRowFront decode_blob_row_front(std::string_view row);

/// One entry, looked for from the front: what lies behind it is not read. `text_damaged` (trouble) where the
/// row is damaged up to there, `no_such_blob` (not_found).
Result<BlobEntry> find_blob(std::string_view row, Position event, std::uint32_t index);

/// `text_damaged`: the row with the texts of `event` is damaged.
[[nodiscard]] tl::unexpected<Error> damaged_blobs(Position event);

}  // namespace luzia
