// Reads lines of bounded length from a descriptor. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace luzia::mcp {

/// Bytes. A longer message is refused and not kept in memory.
constexpr std::size_t kMaxLine = 4 * 1024 * 1024;

class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}

  struct Line {
    std::string text;       // without its end; empty when too long
    bool too_long = false;  // over kMaxLine
  };
  /// The next line, or an unfinished last one; nothing at the end or if reading fails.
  std::optional<Line> next();

 private:
  bool fill();

  int fd_;
  std::string buffer_;
  std::size_t scanned_ = 0;  // buffer_ has no line end before this index
  bool skipping_ = false;    // dropping the rest of a line that is too long
  bool ended_ = false;
};

}  // namespace luzia::mcp
