// The protocol on a terminal's socket, both ways: one byte of kind, four of size (little-endian), the
// payload. Pure; one thread per reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/terminal/terminal_size.h"

namespace luzia {

enum class FrameKind : std::uint8_t {
  hello = 'H',   // client: its role, one byte of Role; the first frame
  input = 'I',   // client: bytes as typed
  size = 'S',    // client: columns and rows, two bytes each, little-endian
  output = 'O',  // host: bytes as the agent wrote them
  ended = 'E',   // host: the agent ended; nothing follows
};

/// A client's role.
enum class Role : std::uint8_t {
  person = 0,
  watcher = 1,  // types nothing and does not influence the size
  screen = 2,   // the multiplexer's client; when it leaves, the terminal is closed
};

struct TerminalFrame {
  FrameKind kind;
  std::string payload;
};

/// The longest payload; a sender of more is not a client of ours.
constexpr std::size_t kMostFrameBytes = 64 << 10;

std::string frame_of(FrameKind kind, std::string_view payload);
/// Splits `bytes` into as many frames as needed.
std::string output_frames(std::string_view bytes);
std::string size_payload(TerminalSize size);
/// nullopt unless it has four bytes and both numbers are positive.
std::optional<TerminalSize> size_from(std::string_view payload);

class TerminalFrameReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  std::optional<TerminalFrame> next();
  /// The bytes received cannot be a frame; no more are read.
  bool broken() const { return broken_; }

 private:
  std::string bytes_;
  bool broken_ = false;
};

}  // namespace luzia
