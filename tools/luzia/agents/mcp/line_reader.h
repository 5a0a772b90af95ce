// Lines from a descriptor, each of bounded length. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace luzia::mcp {

/// A message beyond it is refused without being kept.
constexpr std::size_t kMaxLine = 4 * 1024 * 1024;

class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}

  struct Line {
    std::string text;       // without its end; empty when too long
    bool too_long = false;  // over kMaxLine
  };
  /// The next line, also an unfinished last one; nothing at the end or when the descriptor fails.
  std::optional<Line> next();

 private:
  bool fill();

  int fd_;
  std::string buffer_;
  std::size_t scanned_ = 0;  // of the buffer: no line end before
  bool skipping_ = false;    // the rest of a line that is too long
  bool ended_ = false;
};

}  // namespace luzia::mcp
