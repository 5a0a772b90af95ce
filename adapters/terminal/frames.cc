#include "adapters/terminal/frames.h"

namespace luzia {
namespace {

constexpr std::size_t kHeader = 5;

bool is_kind(char byte) {
  return std::string_view("HISOE").find(byte) != std::string_view::npos;
}

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

}  // namespace

std::string frame_of(FrameKind kind, std::string_view payload) {
  std::string frame(1, static_cast<char>(kind));
  for (unsigned shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>((payload.size() >> shift) & 0xff);
  }
  return frame.append(payload);
}

std::string output_frames(std::string_view bytes) {
  std::string frames;
  while (!bytes.empty()) {
    frames += frame_of(FrameKind::output, bytes.substr(0, kMostFrameBytes));
    bytes.remove_prefix(std::min(kMostFrameBytes, bytes.size()));
  }
  return frames;
}

std::string size_payload(TerminalSize size) {
  std::string payload;
  for (const std::uint16_t number : {size.columns, size.rows}) {
    payload += static_cast<char>(number & 0xff);
    payload += static_cast<char>(number >> 8);
  }
  return payload;
}

std::optional<TerminalSize> size_from(std::string_view payload) {
  if (payload.size() != 4) return std::nullopt;
  const auto number = [&](std::size_t at) {
    return static_cast<std::uint16_t>(byte_at(payload, at) | byte_at(payload, at + 1) << 8);
  };
  const TerminalSize size{number(0), number(2)};
  if (size.columns == 0 || size.rows == 0) return std::nullopt;
  return size;
}

std::optional<TerminalFrame> TerminalFrameReader::next() {
  if (broken_ || bytes_.size() < kHeader) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= static_cast<std::size_t>(byte_at(bytes_, i + 1)) << (8 * i);
  if (!is_kind(bytes_[0]) || size > kMostFrameBytes) {
    broken_ = true;
    return std::nullopt;
  }
  if (bytes_.size() < kHeader + size) return std::nullopt;
  TerminalFrame frame{static_cast<FrameKind>(bytes_[0]), bytes_.substr(kHeader, size)};
  bytes_.erase(0, kHeader + size);
  return frame;
}

}  // namespace luzia
