// The commit group: the unit that is written, fsynced and hashed. LOG_FORMAT.md shows its bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/event/event.h"

namespace luzia {

/// Upper bounds of one group, which is written, fsynced and read at once. A group holds at least one event.
constexpr std::uint32_t kMaxGroupEvents = 4'096;
constexpr std::size_t kMaxGroupBytes = 8 * 1024 * 1024;  // frames and blobs together

/// A group that is not written yet: encoded events of consecutive positions, each padded to 8 bytes, and
/// their blobs. One thread builds it, then gives it away as a whole.
class PendingGroup {
 public:
  explicit PendingGroup(Position first_position) : first_position_(first_position) {}

  /// `encoded`: a finished FlatBuffer of schema::Event whose position is `next_position()`.
  void add(Bytes encoded);
  void add_blob(Position event, Blob blob);
  /// Appends `later`, which begins at next_position().
  void append(PendingGroup&& later);
  /// Clears the group so that it begins at this position; keeps the memory.
  void restart(Position first_position);
  /// Moves the blobs of events from `first` on to `later`.
  void move_blobs_from(Position first, PendingGroup& later);
  /// Whether `more_events` events of `more_bytes` (frames and blobs) still fit the bounds.
  bool has_room(std::uint32_t more_events, std::size_t more_bytes) const;

  Position first_position() const { return first_position_; }
  Position next_position() const { return first_position_ + count_; }
  std::uint32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  /// Frames as stored: u32 length, u32 zero, event, padding to 8.
  Bytes frames() const { return as_bytes(frames_); }
  /// Frames and contents of blobs.
  std::size_t bytes() const { return frames_.size() + blob_bytes_; }
  std::size_t largest_event() const { return largest_event_; }
  struct PlacedBlob {
    Position event;
    Blob blob;
  };
  const std::vector<PlacedBlob>& blobs() const { return blobs_; }

 private:
  Position first_position_;
  std::uint32_t count_ = 0;
  std::string frames_;
  std::vector<PlacedBlob> blobs_;
  std::size_t blob_bytes_ = 0;
  std::size_t largest_event_ = 0;
};

/// End of a log: the position of the last event, and the chain hash after its group.
struct Tip {
  Position position = 0;
  Hash chain{};
  bool operator==(const Tip&) const = default;
};

/// What every log refuses before it writes anything; it stays usable. Errors: `empty_group`, `wrong_position`
/// (also of a blob), `event_too_large`, `blob_too_large`, `blob_repeated`.
Status check_appendable(const PendingGroup& group, const Tip& tip);

/// hash(previous chain, first position and count as stored, frames).
Hash chain_hash(const Hash& previous, Position first_position, std::uint32_t count, Bytes frames);

/// A stored group that was read back. Owns aligned memory, in which its event pointers stay valid.
class Group {
 public:
  /// Checks magic, count, lengths and every event (verify_event, consecutive positions). Does not verify the
  /// chain hash. Errors: `log_corrupt`, `store_format` (a newer program wrote it).
  static Result<Group> parse(Position first_position, Bytes stored_value);
  /// The group that encode() would store. Its bytes are from this process, so they are not verified again.
  static Group stored(const PendingGroup& pending, const Hash& chain);
  static std::string encode_header(std::uint32_t count, const Hash& chain);
  /// Encodes for storage: header (magic, count, chain hash) and frames.
  static std::string encode(const PendingGroup& pending, const Hash& chain);

  /// The chain hash from a stored value's header, without reading the rest. nullopt: this is no group.
  static std::optional<Hash> stored_chain(Bytes stored_value);

  Position first_position() const { return first_position_; }
  Position last_position() const { return first_position_ + events_.size() - 1; }
  const Hash& chain() const { return chain_; }
  Bytes frames() const;
  const std::vector<const schema::Event*>& events() const { return events_; }
  /// Encoded bytes of events()[i], without padding: aligned to 8.
  Bytes event_bytes(std::size_t i) const;

 private:
  Group(Position first_position, const Hash& chain, Bytes frames);

  Position first_position_ = 0;
  Hash chain_{};
  std::unique_ptr<std::uint64_t[]> memory_;  // copy of the frames, aligned to 8 bytes
  std::size_t frames_size_ = 0;
  std::vector<const schema::Event*> events_;
  std::vector<std::uint32_t> starts_;  // offset of each event's frame
};

/// One event of a stored group, read alone: the other events, perhaps thousands, are neither verified nor
/// copied. Owns aligned memory, in which event() stays valid.
class StoredEvent {
 public:
  /// Checks the group's header, the lengths of the frames up to this event, and the event as Group::parse()
  /// does. `position` must not be before `first_position`. nullopt: the group ends before `position`. Errors
  /// as for Group::parse().
  static Result<std::optional<StoredEvent>> parse(Position first_position, Bytes stored_value,
                                                  Position position);
  static StoredEvent copy(const Group& group, std::size_t i);

  const schema::Event& event() const { return *schema::GetEvent(memory_.get()); }
  /// Encoded, without padding: aligned to 8.
  Bytes bytes() const { return {reinterpret_cast<const std::uint8_t*>(memory_.get()), size_}; }

 private:
  explicit StoredEvent(Bytes encoded);

  std::unique_ptr<std::uint64_t[]> memory_;
  std::size_t size_ = 0;
};

}  // namespace luzia
