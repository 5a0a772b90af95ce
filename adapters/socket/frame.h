// Frames of the client protocol (schema/protocol.fbs): little-endian u32 size, then that many bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

constexpr std::size_t kMaxFrameBytes = 16 * 1024 * 1024;
constexpr std::uint32_t kProtocolVersion = 1;

/// Collects bytes as they arrive and gives out whole frames, each aligned to 8. Bounded by kMaxFrameBytes.
class FrameReader {
 public:
  /// `bad_frame` (usage) when a size is impossible; the connection must be closed then.
  Status feed(Bytes bytes, const std::function<void(Bytes frame)>& each);

 private:
  std::vector<std::uint64_t> memory_;  // aligned to 8
  std::size_t used_ = 0;               // bytes of the present frame, its size field included
};

/// Verifies and returns the root, or `bad_frame`.
Result<const wire::ClientFrame*> parse_client_frame(Bytes frame);
Result<const wire::ServerFrame*> parse_server_frame(Bytes frame);

/// Size and buffer, ready to send.
std::string encode(const wire::ClientFrameT& frame);
std::string encode(const wire::ServerFrameT& frame);

}  // namespace luzia
