#include "engine/log/group.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/base/try.h"

namespace luzia {
namespace {

// Stored value: magic, u32 count, chain hash, frames. Frame: u32 length, u32 zero, event, padding to 8.
// Numbers in values are little-endian, as in FlatBuffers; keys are big-endian so that they sort.
constexpr std::string_view kGroupMagic = "LZG1";
constexpr std::string_view kMagicFamily = "LZG";
constexpr std::size_t kChainOffset = 8;
constexpr std::size_t kHeaderSize = kChainOffset + sizeof(Hash);
constexpr std::size_t kFrameHeader = 8;

std::size_t padded(std::size_t size) {
  return (size + 7) & ~std::size_t{7};
}

void put_u32(char* to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(value >> (8 * i));
}

std::uint32_t get_u32(const std::uint8_t* from) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t{from[i]} << (8 * i);
  return value;
}

tl::unexpected<Error> corrupt(Position first_position, const std::string& why) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the group at position " + std::to_string(first_position) + " of the log is damaged: " + why,
              "restore the store from a backup, or save what can be proved of it: `luzia-query salvage DIR`");
}

tl::unexpected<Error> refused(std::string code, std::string message) {
  return fail(ErrorKind::trouble, std::move(code), "cannot append to the log: " + std::move(message));
}

Status check_blobs(const PendingGroup& group) {
  std::set<std::pair<Position, std::uint32_t>> seen;
  for (const auto& [event, blob] : group.blobs()) {
    const std::string name = "blob " + std::to_string(blob.index) + " of event " + std::to_string(event);
    if (event < group.first_position() || event >= group.next_position()) {
      return refused("wrong_position", name + " is not of this group");
    }
    if (blob.content.size() > kMaxBlobBytes || blob.salt.size() > kMaxBlobBytes) {
      return refused("blob_too_large", name + " has " + std::to_string(blob.content.size()) +
                                           " bytes, the limit is " + std::to_string(kMaxBlobBytes));
    }
    if (!seen.emplace(event, blob.index).second) return refused("blob_repeated", name + " is there twice");
  }
  return {};
}

/// The number of events according to the header.
Result<std::uint32_t> checked_count(Position first_position, Bytes stored_value) {
  if (!Group::stored_chain(stored_value)) {
    if (stored_value.size() >= kGroupMagic.size() && as_text(stored_value).starts_with(kMagicFamily) &&
        !as_text(stored_value).starts_with(kGroupMagic)) {
      return fail(ErrorKind::trouble, "store_format",
                  "the group at position " + std::to_string(first_position) + " has format " +
                      std::string(as_text(stored_value.first(kGroupMagic.size()))) + ", this program reads " +
                      std::string(kGroupMagic),
                  "use the newer program that wrote this store");
    }
    return corrupt(first_position, "it has no group header");
  }
  const std::uint32_t count = get_u32(stored_value.data() + kGroupMagic.size());
  if (count == 0 || count > (stored_value.size() - kHeaderSize) / kFrameHeader)
    return corrupt(first_position, "its count is impossible");
  return count;
}

/// Length of event `index`, whose frame begins at `at`.
Result<std::size_t> checked_length(Position first_position, Bytes frames, std::size_t at,
                                   std::uint32_t index) {
  if (frames.size() - at < kFrameHeader) return corrupt(first_position, "it ends before its last event");
  const std::size_t length = get_u32(frames.data() + at);
  if (get_u32(frames.data() + at + 4) != 0 || padded(length) > frames.size() - at - kFrameHeader) {
    return corrupt(first_position,
                   "the length of event " + std::to_string(first_position + index) + " is impossible");
  }
  return length;
}

/// `encoded`: aligned to 8.
Result<const schema::Event*> checked_event(Position first_position, Bytes encoded, std::uint32_t index) {
  const auto event = verify_event(encoded);
  if (!event) return corrupt(first_position, event.error().message);
  if ((*event)->position() != first_position + index) {
    return corrupt(first_position, "event " + std::to_string(first_position + index) + " says it is " +
                                       std::to_string((*event)->position()));
  }
  return *event;
}

}  // namespace

void PendingGroup::add(Bytes encoded) {
  const std::size_t start = frames_.size();
  frames_.resize(start + kFrameHeader + padded(encoded.size()));
  put_u32(frames_.data() + start, static_cast<std::uint32_t>(encoded.size()));
  std::memcpy(frames_.data() + start + kFrameHeader, encoded.data(), encoded.size());
  largest_event_ = std::max(largest_event_, encoded.size());
  ++count_;
}

void PendingGroup::add_blob(Position event, Blob blob) {
  blob_bytes_ += blob.content.size() + blob.salt.size();
  blobs_.push_back({event, std::move(blob)});
}

void PendingGroup::append(PendingGroup&& later) {
  constexpr std::size_t kFirstRoom = 32 << 10;  // often what gathers during one fsync
  const std::size_t size = frames_.size() + later.frames_.size();
  if (size > frames_.capacity()) frames_.reserve(std::max(kFirstRoom, 2 * size));
  frames_.append(later.frames_);
  for (PlacedBlob& placed : later.blobs_) blobs_.push_back(std::move(placed));
  count_ += later.count_;
  blob_bytes_ += later.blob_bytes_;
  largest_event_ = std::max(largest_event_, later.largest_event_);
}

void PendingGroup::restart(Position first_position) {
  constexpr std::size_t kKeptBytes = 64 << 10;
  first_position_ = first_position;
  count_ = 0;
  frames_.clear();
  if (frames_.capacity() > kKeptBytes) std::string().swap(frames_);
  blobs_.clear();
  blob_bytes_ = largest_event_ = 0;
}

void PendingGroup::move_blobs_from(Position first, PendingGroup& later) {
  if (std::ranges::none_of(blobs_, [first](const PlacedBlob& placed) { return placed.event >= first; }))
    return;
  const auto moved = std::stable_partition(
      blobs_.begin(), blobs_.end(), [first](const PlacedBlob& placed) { return placed.event < first; });
  for (auto placed = moved; placed != blobs_.end(); ++placed) {
    blob_bytes_ -= placed->blob.content.size() + placed->blob.salt.size();
    later.add_blob(placed->event, std::move(placed->blob));
  }
  blobs_.erase(moved, blobs_.end());
}

bool PendingGroup::has_room(std::uint32_t more_events, std::size_t more_bytes) const {
  return count_ + more_events <= kMaxGroupEvents && bytes() + more_bytes <= kMaxGroupBytes;
}

Status check_appendable(const PendingGroup& group, const Tip& tip) {
  if (group.empty()) return refused("empty_group", "the group holds no event");
  if (group.first_position() != tip.position + 1) {
    return refused("wrong_position", "the group begins at position " +
                                         std::to_string(group.first_position()) + ", the next one is " +
                                         std::to_string(tip.position + 1));
  }
  if (group.largest_event() > kMaxEventBytes) {
    return refused("event_too_large", "an event has " + std::to_string(group.largest_event()) +
                                          " bytes, the limit is " + std::to_string(kMaxEventBytes));
  }
  return check_blobs(group);
}

Hash chain_hash(const Hash& previous, Position first_position, std::uint32_t count, Bytes frames) {
  std::uint8_t place[12];
  for (int i = 0; i < 8; ++i) place[i] = static_cast<std::uint8_t>(first_position >> (8 * (7 - i)));
  for (int i = 0; i < 4; ++i) place[8 + i] = static_cast<std::uint8_t>(count >> (8 * i));
  return blake2b({previous, place, frames});
}

Group::Group(Position first_position, const Hash& chain, Bytes frames)
    : first_position_(first_position),
      chain_(chain),
      memory_(std::make_unique_for_overwrite<std::uint64_t[]>((frames.size() + 7) / 8)),
      frames_size_(frames.size()) {
  std::memcpy(memory_.get(), frames.data(), frames.size());
}

Bytes Group::frames() const {
  return {reinterpret_cast<const std::uint8_t*>(memory_.get()), frames_size_};
}

Bytes Group::event_bytes(std::size_t i) const {
  // A FlatBuffer's root table may be anywhere in its buffer, so the frame cannot be found from the event
  // pointer.
  const std::uint8_t* frame = frames().data() + starts_[i];
  return {frame + kFrameHeader, get_u32(frame)};
}

Group Group::stored(const PendingGroup& pending, const Hash& chain) {
  Group group(pending.first_position(), chain, pending.frames());
  group.events_.reserve(pending.count());
  group.starts_.reserve(pending.count());
  const std::uint8_t* const begin = group.frames().data();
  const std::uint8_t* at = begin;
  for (std::uint32_t i = 0; i < pending.count(); ++i) {
    group.starts_.push_back(static_cast<std::uint32_t>(at - begin));
    group.events_.push_back(schema::GetEvent(at + kFrameHeader));
    at += kFrameHeader + padded(get_u32(at));
  }
  return group;
}

std::string Group::encode_header(std::uint32_t count, const Hash& chain) {
  std::string header(kGroupMagic);
  header.resize(kChainOffset);
  put_u32(header.data() + kGroupMagic.size(), count);
  return header.append(as_text(chain));
}

std::string Group::encode(const PendingGroup& pending, const Hash& chain) {
  return encode_header(pending.count(), chain).append(as_text(pending.frames()));
}

std::optional<Hash> Group::stored_chain(Bytes stored_value) {
  if (stored_value.size() < kHeaderSize || !as_text(stored_value).starts_with(kGroupMagic))
    return std::nullopt;
  Hash chain;
  std::memcpy(chain.data(), stored_value.data() + kChainOffset, chain.size());
  return chain;
}

Result<Group> Group::parse(Position first_position, Bytes stored_value) {
  const auto count = LUZIA_TRY(checked_count(first_position, stored_value));
  Group group(first_position, *stored_chain(stored_value), stored_value.subspan(kHeaderSize));
  group.events_.reserve(count);
  group.starts_.reserve(count);
  const Bytes frames = group.frames();
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto length = LUZIA_TRY(checked_length(first_position, frames, at, i));
    const auto event = LUZIA_TRY(checked_event(first_position, frames.subspan(at + kFrameHeader, length), i));
    group.starts_.push_back(static_cast<std::uint32_t>(at));
    group.events_.push_back(event);
    at += kFrameHeader + padded(length);
  }
  if (at != frames.size()) return corrupt(first_position, "bytes follow its last event");
  return group;
}

StoredEvent::StoredEvent(Bytes encoded)
    : memory_(std::make_unique_for_overwrite<std::uint64_t[]>((encoded.size() + 7) / 8)),
      size_(encoded.size()) {
  std::memcpy(memory_.get(), encoded.data(), encoded.size());
}

StoredEvent StoredEvent::copy(const Group& group, std::size_t i) {
  return StoredEvent(group.event_bytes(i));
}

Result<std::optional<StoredEvent>> StoredEvent::parse(Position first_position, Bytes stored_value,
                                                      Position position) {
  const auto count = LUZIA_TRY(checked_count(first_position, stored_value));
  if (position - first_position >= count) return std::nullopt;
  const auto wanted = static_cast<std::uint32_t>(position - first_position);
  const Bytes frames = stored_value.subspan(kHeaderSize);
  std::size_t at = 0;
  for (std::uint32_t i = 0;; ++i) {
    const auto length = LUZIA_TRY(checked_length(first_position, frames, at, i));
    if (i < wanted) {
      at += kFrameHeader + padded(length);
      continue;
    }
    StoredEvent alone(frames.subspan(at + kFrameHeader, length));
    LUZIA_TRY(checked_event(first_position, alone.bytes(), wanted));
    return std::optional(std::move(alone));
  }
}

}  // namespace luzia
