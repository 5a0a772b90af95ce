// One row of the column family `blobs`: all erasable texts of one commit group. LOG_FORMAT.md shows its
// bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/log/group.h"

namespace luzia {

/// Erased or lost: content and salt are gone, only the state remains. Lost: a salvage found the text damaged
/// or missing.
enum class BlobState : std::uint32_t { present = 1, erased = 2, lost = 3 };

/// A text and its place.
struct BlobEntry {
  Position event = 0;
  std::uint32_t index = 0;
  BlobState state = BlobState::present;
  std::string_view salt;
  std::string_view content;
};

std::string encode_blob_row(const std::vector<PendingGroup::PlacedBlob>& blobs);
std::string encode_blob_row(const std::vector<BlobEntry>& entries);

/// The entries point into `row`. nullopt: the row is not valid.
std::optional<std::vector<BlobEntry>> decode_blob_row(std::string_view row);

/// The valid entries at the front of a row. `whole`: the entire row is valid.
struct BlobRowFront {
  std::vector<BlobEntry> entries;
  bool whole = false;
};
BlobRowFront decode_blob_row_front(std::string_view row);

/// Finds one entry from the front, without reading what follows it. Errors: `text_damaged` (trouble) if the
/// row is damaged before it, `no_such_blob` (not_found).
Result<BlobEntry> find_blob(std::string_view row, Position event, std::uint32_t index);

/// Error `text_damaged`: the row with the texts of `event` is damaged.
[[nodiscard]] tl::unexpected<Error> damaged_blobs(Position event);

}  // namespace luzia
