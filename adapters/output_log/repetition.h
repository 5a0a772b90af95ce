// Tells when an agent goes round in circles: the same line, or the same few lines in the same order, over and
// over. Keeps nothing but fingerprints of the last few lines: length and a few bytes of each, which are
// enough to tell that most lines are new, and a hash of all its bytes from the first line on that looks like
// one before it. What differs in a single byte (a counter, a time) is another line. Kept in memory only:
// counting begins anew with each daemon. One thread at a time.
//
// Rejected: taking numbers for equal. "step 17 of 90" then repeats "step 16 of 90", and every build warns.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/ports/line_decoder.h"

namespace luzia {

struct Repetition {
  std::uint32_t cycle = 0;    // lines in one round
  std::uint64_t repeats = 0;  // rounds in a row; 0: nothing worth telling
  std::uint64_t from = 0;     // in the file: of the last round's first line ...
  std::uint64_t to = 0;       // ... and after its last
  std::string line;           // the last one, cut to kMaxRepeatedText bytes
};
constexpr std::size_t kMaxRepeatedText = 200;

class RepetitionDetector {
 public:
  static constexpr std::uint32_t kLongestCycle = 8;
  /// Fewer rounds are told of nobody.
  static constexpr std::uint64_t kFewestRepeats = 10;

  void add(const Line& line);
  /// The most rounds seen since the last call. Of several cycles that fit (a line is also a pair of lines)
  /// the shortest.
  Repetition take();

 private:
  bool is_same(std::uint32_t back, std::uint64_t glance, std::uint64_t hash) const;
  void note(const Line& line, std::uint32_t cycle, std::uint64_t repeats);

  // Of the last lines, at their number modulo kLongestCycle. A hash of 0 was not taken: the line's glance
  // stands for it, so at most one round in a row too many is counted.
  std::array<std::uint64_t, kLongestCycle> glances_{}, hashes_{}, offsets_{};
  std::array<std::uint64_t, kLongestCycle> runs_{};  // [i]: lines in a row that equal the one i + 1 before
  bool in_a_run_ = false;
  std::uint64_t count_ = 0;
  Repetition most_;
};

}  // namespace luzia
