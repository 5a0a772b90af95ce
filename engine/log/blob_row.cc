#include "engine/log/blob_row.h"

#include <algorithm>

#include "engine/log/event_log.h"

namespace luzia {
namespace {

// Row: magic, u32 count, entries. Entry: u64 event, u32 index, u32 state, u32 salt size, u32 content size,
// salt, content. Little-endian, without padding, because nobody reads it in place.
constexpr std::string_view kRowMagic = "LZB1";

template <class Number>
void put(std::string& row, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) row += static_cast<char>(value >> (8 * i));
}

/// Takes a number from the front of `rest`; false: `rest` is too short.
template <class Number>
bool get(std::string_view& rest, Number& value) {
  if (rest.size() < sizeof value) return false;
  value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<Number>(static_cast<Number>(static_cast<std::uint8_t>(rest[i])) << (8 * i));
  }
  rest.remove_prefix(sizeof value);
  return true;
}

bool get_text(std::string_view& rest, std::size_t size, std::string_view& text) {
  if (rest.size() < size) return false;
  text = rest.substr(0, size);
  rest.remove_prefix(size);
  return true;
}

bool get_entry(std::string_view& rest, BlobEntry& entry) {
  std::uint32_t state = 0, salt_size = 0, content_size = 0;
  if (!get(rest, entry.event) || !get(rest, entry.index) || !get(rest, state) || !get(rest, salt_size) ||
      !get(rest, content_size)) {
    return false;
  }
  entry.state = static_cast<BlobState>(state);
  const bool gone = entry.state == BlobState::erased || entry.state == BlobState::lost;
  return (entry.state == BlobState::present || (gone && salt_size == 0 && content_size == 0)) &&
         get_text(rest, salt_size, entry.salt) && get_text(rest, content_size, entry.content);
}

/// Takes the header from the row. nullopt: there is none.
std::optional<std::uint32_t> take_count(std::string_view& row) {
  std::uint32_t count = 0;
  if (!row.starts_with(kRowMagic)) return std::nullopt;
  row.remove_prefix(kRowMagic.size());
  return get(row, count) ? std::optional(count) : std::nullopt;
}

}  // namespace

std::string encode_blob_row(const std::vector<PendingGroup::PlacedBlob>& blobs) {
  std::vector<BlobEntry> entries;
  entries.reserve(blobs.size());
  for (const auto& [event, blob] : blobs)
    entries.push_back({event, blob.index, BlobState::present, blob.salt, blob.content});
  return encode_blob_row(entries);
}

std::string encode_blob_row(const std::vector<BlobEntry>& entries) {
  std::string row(kRowMagic);
  put(row, static_cast<std::uint32_t>(entries.size()));
  for (const BlobEntry& entry : entries) {
    const bool present = entry.state == BlobState::present;
    const std::string_view salt = present ? entry.salt : std::string_view{};
    const std::string_view content = present ? entry.content : std::string_view{};
    put(row, entry.event);
    put(row, entry.index);
    put(row, static_cast<std::uint32_t>(entry.state));
    put(row, static_cast<std::uint32_t>(salt.size()));
    put(row, static_cast<std::uint32_t>(content.size()));
    row += salt;
    row += content;
  }
  return row;
}

std::optional<std::vector<BlobEntry>> decode_blob_row(std::string_view row) {
  BlobRowFront front = decode_blob_row_front(row);
  return front.whole ? std::optional(std::move(front.entries)) : std::nullopt;
}

BlobRowFront decode_blob_row_front(std::string_view row) {
  BlobRowFront front;
  const auto count = take_count(row);
  if (!count) return front;
  constexpr std::size_t kSmallestEntry = 24;
  front.entries.reserve(std::min<std::size_t>(*count, row.size() / kSmallestEntry));
  for (std::uint32_t i = 0; i < *count; ++i) {
    BlobEntry entry;
    if (!get_entry(row, entry)) return front;
    front.entries.push_back(entry);
  }
  front.whole = row.empty();
  return front;
}

Result<BlobEntry> find_blob(std::string_view row, Position event, std::uint32_t index) {
  const auto count = take_count(row);
  if (!count) return damaged_blobs(event);
  for (std::uint32_t i = 0; i < *count; ++i) {
    BlobEntry entry;
    if (!get_entry(row, entry)) return damaged_blobs(event);
    if (entry.event == event && entry.index == index) return entry;
  }
  if (!row.empty()) return damaged_blobs(event);
  return no_such_blob(event, index);
}

tl::unexpected<Error> damaged_blobs(Position event) {
  return fail(ErrorKind::trouble, "text_damaged",
              "the texts beside event " + std::to_string(event) + " of the log are damaged",
              "restore the store from a backup, or save what can be proved of it: `luzia-query salvage DIR`");
}

}  // namespace luzia
