// Splits output.log into lines without keeping any of it: the caller presents a contiguous stretch of the
// file, the splitter names the complete lines in it as views into that stretch and moves its position. What
// it leaves unconsumed (the beginning of a line) is presented again with more bytes behind it, so nothing is
// copied and a crash has no splitter state to lose. Rejected: a splitter that carries partial lines itself;
// its memory would have to be part of the checkpoint.
//
// A line of more than kMaxKeptLine bytes before its newline is oversized: its first kMaxKeptLine bytes are
// given as a cut line as soon as that is certain, the rest passes by as stretches. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/ports/line_decoder.h"

namespace luzia {

/// The part of a checkpoint that splitting moves; offsets in the file.
struct SplitPosition {
  std::uint64_t line_start = 0;  // of the line that is incomplete at scanned_to
  std::uint64_t scanned_to = 0;  // bytes before it have been looked at
  std::uint64_t line_no = 0;     // complete lines before line_start
  bool in_oversized_line = false;
  bool operator==(const SplitPosition&) const = default;

  /// Where the next stretch must begin: an unfinished line is presented from its start, an oversized one goes
  /// on.
  std::uint64_t resume_at() const { return in_oversized_line ? scanned_to : line_start; }
};

class LineSink {
 public:
  virtual ~LineSink() = default;
  /// A complete line, or the kept beginning of an oversized one. False: stop after it (the sink is full).
  virtual bool line(const Line& line) = 0;
  /// Further bytes of an oversized line, in order, without its newline.
  virtual void oversized(const Line& stretch) = 0;
};

/// Splits `bytes`, which begin at `position.resume_at()`, and moves `position`; returns how many bytes were
/// consumed (position.resume_at() has moved by as much). When the sink stopped, `scanned_to` is where it
/// stopped, else the end of `bytes`.
std::size_t split_lines(SplitPosition& position, std::string_view bytes, LineSink& sink);

/// The file ends here: the incomplete line `bytes` (what split_lines left, may be empty) becomes the last
/// line. Returns whether there was one.
bool split_last_line(SplitPosition& position, std::string_view bytes, LineSink& sink);

}  // namespace luzia
