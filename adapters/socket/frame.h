// Frames of the client protocol (schema/protocol.fbs): little-endian u32 size, then that many bytes.
// Stateless except for FrameReader, which belongs to one connection and one thread.
#pragma once

#include <concepts>
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
/// The limit until a client has sent its first whole request.
constexpr std::size_t kFirstFrameBytes = 1024 * 1024;
constexpr std::size_t kFrameHeaderBytes = 4;
constexpr std::uint32_t kProtocolVersion = 1;

/// Size of the frame that begins at `bytes`, without its header; nullopt if fewer than 4 bytes are available.
/// `bad_frame` (usage): no frame can have that size, or it exceeds `most`.
Result<std::optional<std::size_t>> frame_size(Bytes bytes, std::size_t most = kMaxFrameBytes);

/// Collects arriving bytes and delivers whole frames, each aligned to 8. Memory grows with the bytes that
/// arrived, never with what a size field claims, and is bounded by the largest frame.
class FrameReader {
 public:
  /// Sets the largest frame size from now on; initially kMaxFrameBytes.
  void limit(std::size_t most) { most_ = most; }
  /// Bytes of memory in use.
  std::size_t held() const { return memory_.size() * sizeof(std::uint64_t); }
  /// Whether a frame has begun but not ended.
  bool within_frame() const { return header_used_ > 0; }
  /// Bytes of that frame received so far, including its header.
  std::size_t arrived() const { return header_used_ + used_; }
  /// Calls `each` for every complete frame; a frame is valid only during the call. `bad_frame` (usage): a
  /// size is impossible, and the connection must be closed.
  Status feed(Bytes bytes, const std::function<void(Bytes frame)>& each);

 private:
  void store(Bytes bytes);
  std::uint8_t* body() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }

  std::uint8_t header_[kFrameHeaderBytes] = {};
  std::size_t header_used_ = 0;
  std::vector<std::uint64_t> memory_;  // of 8-byte words, so that the body is aligned
  std::size_t used_ = 0;               // bytes of the current frame's body
  std::size_t most_ = kMaxFrameBytes;
};

/// Verifies and returns the root, or `bad_frame`. `frame` is aligned to 8 and outlives the result.
Result<const wire::ClientFrame*> parse_client_frame(Bytes frame);
Result<const wire::ServerFrame*> parse_server_frame(Bytes frame);

/// Appends header and body of a finished builder.
void append_frame(std::string& to, const flatbuffers::FlatBufferBuilder& finished);

/// Size and buffer, ready to send.
template <class Frame>
  requires std::same_as<typename Frame::TableType::NativeTableType, Frame>
std::string encode(const Frame& frame) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Frame::TableType::Pack(builder, &frame));
  std::string encoded;
  append_frame(encoded, builder);
  return encoded;
}

}  // namespace luzia
