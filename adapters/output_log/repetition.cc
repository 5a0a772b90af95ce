#include "adapters/output_log/repetition.h"

#include <functional>
#include <utility>

namespace luzia {

void RepetitionDetector::add(const Line& line) {
  // Any good hash will do: it never leaves this process.
  const std::uint64_t hash = std::hash<std::string_view>{}(line.text);
  bool repeats = false;
  for (std::uint32_t i = 0; i < kLongestCycle; ++i) {
    const bool same = count_ > i && last_[(count_ - 1 - i) % kLongestCycle].hash == hash;
    runs_[i] = same ? runs_[i] + 1 : 0;
    repeats |= same;
  }
  last_[count_++ % kLongestCycle] = {hash, line.offset};
  if (!repeats) return;
  for (std::uint32_t i = 0; i < kLongestCycle; ++i) {
    const std::uint64_t rounds = runs_[i] / (i + 1) + 1;
    if (rounds < kFewestRepeats || rounds <= most_.repeats) continue;
    return note(line, i + 1, rounds);
  }
}

void RepetitionDetector::note(const Line& line, std::uint32_t cycle, std::uint64_t repeats) {
  most_.cycle = cycle;
  most_.repeats = repeats;
  most_.from = last_[(count_ - cycle) % kLongestCycle].offset;
  most_.to = line.end;
  most_.line.assign(line.text.substr(0, kMaxRepeatedText));
}

Repetition RepetitionDetector::take() {
  return std::exchange(most_, {});
}

}  // namespace luzia
