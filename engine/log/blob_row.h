// One row of column family `blobs`: all erasable texts of one commit group. LOG_FORMAT.md shows its bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/log/group.h"

namespace luzia {

/// A text in its place. Erased: nothing is left of content and salt but the fact.
struct BlobEntry {
  Position event = 0;
  std::uint32_t index = 0;
  bool erased = false;
  std::string_view salt;
  std::string_view content;
};

std::string encode_blob_row(const std::vector<PendingGroup::PlacedBlob>& blobs);
std::string encode_blob_row(const std::vector<BlobEntry>& entries);

/// Entries point into `row`. nullopt: no valid row.
std::optional<std::vector<BlobEntry>> decode_blob_row(std::string_view row);

/// One entry, looked for from the front: what lies behind it is not read. `log_corrupt` (trouble) where the
/// row is damaged up to there, `no_such_blob` (not_found).
Result<BlobEntry> find_blob(std::string_view row, Position event, std::uint32_t index);

/// `log_corrupt`: the row with the texts of `event` is damaged.
[[nodiscard]] tl::unexpected<Error> damaged_blobs(Position event);

}  // namespace luzia
