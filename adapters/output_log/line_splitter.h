// Splits output.log into lines without keeping any of it. The caller passes a contiguous stretch of the file.
// The splitter returns the complete lines as views into that stretch and advances its position. The caller
// passes an unconsumed rest (the beginning of a line) again, with more bytes after it. So nothing is copied,
// and a crash loses no splitter state. Rejected: a splitter that keeps partial lines itself; its memory would
// have to be part of the checkpoint.
//
// A line of more than kMaxKeptLine bytes before its newline is oversized. Its first kMaxKeptLine bytes are
// delivered as a cut line as soon as that is certain, the rest as stretches. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/ports/line_decoder.h"

namespace luzia {

/// The part of a checkpoint that splitting advances; offsets in the file.
struct SplitPosition {
  std::uint64_t line_start = 0;  // of the line that is incomplete at scanned_to
  std::uint64_t scanned_to = 0;  // bytes before it have been split
  std::uint64_t line_no = 0;     // complete lines before line_start
  bool in_oversized_line = false;
  bool operator==(const SplitPosition&) const = default;

  /// Where the next stretch must begin: at the start of an unfinished line, or where an oversized one was
  /// left.
  std::uint64_t resume_at() const { return in_oversized_line ? scanned_to : line_start; }
};

class LineSink {
 public:
  virtual ~LineSink() = default;
  /// A complete line, or the kept beginning of an oversized one. Return false to stop after it (the sink is
  /// full).
  virtual bool line(const Line& line) = 0;
  /// Further bytes of an oversized line, in order, without its newline.
  virtual void oversized(const Line& stretch) = 0;
};

/// Splits `bytes`, which begin at `position.resume_at()`, and advances `position`. Returns the number of
/// bytes consumed, by which resume_at() has advanced. `scanned_to` becomes the place where the sink stopped,
/// else the end of `bytes`.
std::size_t split_lines(SplitPosition& position, std::string_view bytes, LineSink& sink);

/// Handles the end of the file: the incomplete line `bytes`, which split_lines() left and may be empty,
/// becomes the last line. Returns whether there was one.
bool split_last_line(SplitPosition& position, std::string_view bytes, LineSink& sink);

}  // namespace luzia
