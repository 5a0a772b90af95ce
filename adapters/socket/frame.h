// Frames of the client protocol (schema/protocol.fbs): little-endian u32 size, then that many bytes.
// Free of state but for FrameReader, which belongs to one connection and one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

constexpr std::size_t kMaxFrameBytes = 16 * 1024 * 1024;
/// Of a client that has not sent a whole request yet.
constexpr std::size_t kFirstFrameBytes = 1024 * 1024;
constexpr std::size_t kFrameHeaderBytes = 4;
constexpr std::uint32_t kProtocolVersion = 1;

/// Size of the frame that begins at `bytes`, header not counted; nullopt when fewer than 4 bytes are there.
/// `bad_frame` (usage) when no frame can have that size, or it is more than `most`.
Result<std::optional<std::size_t>> frame_size(Bytes bytes, std::size_t most = kMaxFrameBytes);

/// Collects bytes as they arrive and gives out whole frames, each aligned to 8. Memory grows with what has
/// arrived, never with what a size field promises, and is bounded by the largest frame.
class FrameReader {
 public:
  /// No frame may be larger from now on; kMaxFrameBytes at first.
  void limit(std::size_t most) { most_ = most; }
  /// Bytes of memory that are taken.
  std::size_t held() const { return memory_.size() * sizeof(std::uint64_t); }
  /// Whether a frame has begun and not ended.
  bool within_frame() const { return header_used_ > 0; }
  /// Bytes that have come of it, its header included.
  std::size_t arrived() const { return header_used_ + used_; }
  /// Calls `each` for every frame that is complete; a frame is valid during the call only.
  /// `bad_frame` (usage) when a size is impossible; the connection must be closed then.
  Status feed(Bytes bytes, const std::function<void(Bytes frame)>& each);

 private:
  void store(Bytes bytes);
  std::uint8_t* body() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }

  std::uint8_t header_[kFrameHeaderBytes] = {};
  std::size_t header_used_ = 0;
  std::vector<std::uint64_t> memory_;  // of 8-byte words, so that the body is aligned
  std::size_t used_ = 0;               // bytes of the present frame's body
  std::size_t most_ = kMaxFrameBytes;
};

/// Verifies and returns the root, or `bad_frame`. `frame` is aligned to 8 and outlives the result.
Result<const wire::ClientFrame*> parse_client_frame(Bytes frame);
Result<const wire::ServerFrame*> parse_server_frame(Bytes frame);

/// Appends header and body of a finished builder.
void append_frame(std::string& to, const flatbuffers::FlatBufferBuilder& finished);

/// Size and buffer, ready to send.
std::string encode(const wire::ClientFrameT& frame);
std::string encode(const wire::ServerFrameT& frame);

}  // namespace luzia
