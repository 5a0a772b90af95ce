// The commit group: the unit that is written, fsynced and hashed. LOG_FORMAT.md shows its bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/event/event.h"

namespace luzia {

/// A group not yet written: the events of consecutive positions, encoded, each padded to 8 bytes, and their
/// blobs. Built by one thread, then handed over whole.
class PendingGroup {
 public:
  explicit PendingGroup(Position first_position) : first_position_(first_position) {}

  /// `encoded`: a finished FlatBuffer of schema::Event whose position is `next_position()`.
  void add(Bytes encoded);
  void add_blob(Position event, Blob blob);

  Position first_position() const { return first_position_; }
  Position next_position() const { return first_position_ + count_; }
  std::uint32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  /// Frames as stored: u32 length, u32 zero, event, padding to 8.
  Bytes frames() const { return as_bytes(frames_); }
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
};

/// End of a log: position of the last event and the chain hash after its group.
struct Tip {
  Position position = 0;
  Hash chain{};
  bool operator==(const Tip&) const = default;
};

/// hash(previous chain, first position and count as stored, frames).
Hash chain_hash(const Hash& previous, Position first_position, std::uint32_t count, Bytes frames);

/// A stored group, read back. Owns aligned memory; event pointers live as long as it.
class Group {
 public:
  /// Checks magic, count, lengths and every event (verify_event, consecutive positions). Does not walk the chain.
  static Result<Group> parse(Position first_position, Bytes stored_value);
  /// Encodes for storage: header (magic, count, chain hash) and frames.
  static std::string encode(const PendingGroup& pending, const Hash& chain);

  Position first_position() const { return first_position_; }
  Position last_position() const { return first_position_ + events_.size() - 1; }
  const Hash& chain() const { return chain_; }
  Bytes frames() const;
  const std::vector<const schema::Event*>& events() const { return events_; }
  /// Encoded bytes of events()[i], without padding: aligned to 8.
  Bytes event_bytes(std::size_t i) const;

 private:
  Position first_position_ = 0;
  Hash chain_{};
  std::vector<std::uint64_t> memory_;  // 8-byte aligned copy of the frames
  std::size_t frames_size_ = 0;
  std::vector<const schema::Event*> events_;
};

}  // namespace luzia
