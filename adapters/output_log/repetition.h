// Tells when an agent goes round in circles: the same line, or the same few lines in the same order, over and
// over. Looks at each line once and keeps nothing but hashes of the last few, so it costs the same for any
// output; what differs in a single byte (a counter, a time) is another line. Kept in memory only: counting
// begins anew with each daemon. One thread at a time.
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
  struct Seen {
    std::uint64_t hash = 0;
    std::uint64_t offset = 0;
  };
  void note(const Line& line, std::uint32_t cycle, std::uint64_t repeats);

  std::array<Seen, kLongestCycle> last_{};
  std::array<std::uint64_t, kLongestCycle> runs_{};  // [i]: lines in a row that equal the one i + 1 before
  std::uint64_t count_ = 0;
  Repetition most_;
};

}  // namespace luzia
