// Detects an agent that goes round in circles: the same line, or the same few lines in the same order, over
// and over. It keeps only fingerprints of the last few lines: each line's length and a few of its bytes,
// which usually suffice to see that a line is new. Once a line looks like an earlier one, it also hashes all
// bytes. Lines that differ in a single byte (a counter, a time) are different. State is in memory only: each
// daemon starts counting again. One thread at a time.
//
// Rejected: treating all numbers as equal. "step 17 of 90" would then repeat "step 16 of 90", and every build
// would warn.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/ports/line_decoder.h"

namespace luzia {

struct Repetition {
  std::uint32_t cycle = 0;    // lines in one round
  std::uint64_t repeats = 0;  // rounds in a row; 0: none worth reporting
  std::uint64_t from = 0;     // file offset of the last round's first line ...
  std::uint64_t to = 0;       // ... and of the end of its last line
  std::string line;           // the last one, cut to kMaxRepeatedText bytes
};
constexpr std::size_t kMaxRepeatedText = 200;

class RepetitionDetector {
 public:
  static constexpr std::uint32_t kLongestCycle = 8;
  /// Fewer rounds are not reported.
  static constexpr std::uint64_t kFewestRepeats = 10;

  void add(const Line& line);
  /// The highest number of rounds since the last call. If several cycles fit (a repeated line is also a
  /// repeated pair of lines), the shortest.
  Repetition take();

 private:
  bool is_same(std::uint32_t back, std::uint64_t glance, std::uint64_t hash) const;
  void note(const Line& line, std::uint32_t cycle, std::uint64_t repeats);

  // Of the last lines, indexed by line number modulo kLongestCycle. A hash of 0 was not computed, and the
  // glance stands in for it; so at most one round too many is counted.
  std::array<std::uint64_t, kLongestCycle> glances_{}, hashes_{}, offsets_{};
  std::array<std::uint64_t, kLongestCycle> runs_{};  // [i]: consecutive lines equal to the line i + 1 before
  bool in_a_run_ = false;
  std::uint64_t count_ = 0;
  Repetition most_;
};

}  // namespace luzia
