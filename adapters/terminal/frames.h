// What goes over the socket of a terminal, both ways: one byte of kind, four of size (little-endian), the
// payload. Pure; one thread per reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/terminal/terminal_size.h"

namespace luzia {

enum class FrameKind : std::uint8_t {
  hello = 'H',   // client: who it is, one byte of Role; the first frame
  input = 'I',   // client: bytes as typed
  size = 'S',    // client: columns and rows, two bytes each, little-endian
  output = 'O',  // host: bytes as the agent wrote them
  ended = 'E',   // host: the agent is gone, nothing comes any more
};

/// What a client is to the host.
enum class Role : std::uint8_t {
  person = 0,
  watcher = 1,  // types nothing and decides on no size
  screen = 2,   // the multiplexer's: when it goes, the terminal is closed
};

struct TerminalFrame {
  FrameKind kind;
  std::string payload;
};

/// Longest payload; who sends more is no client of ours.
constexpr std::size_t kMostFrameBytes = 64 << 10;

std::string frame_of(FrameKind kind, std::string_view payload);
/// `bytes` in as many frames as that takes.
std::string output_frames(std::string_view bytes);
std::string size_payload(TerminalSize size);
/// Nothing when it is not four bytes, or says zero.
std::optional<TerminalSize> size_from(std::string_view payload);

class TerminalFrameReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole frame.
  std::optional<TerminalFrame> next();
  /// What came cannot be a frame: nothing more is read.
  bool broken() const { return broken_; }

 private:
  std::string bytes_;
  bool broken_ = false;
};

}  // namespace luzia
