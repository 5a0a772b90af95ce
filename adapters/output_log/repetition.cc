#include "adapters/output_log/repetition.h"

#include <cstring>
#include <functional>
#include <utility>

namespace luzia {

namespace {

std::uint64_t eight_bytes(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

/// A cheap hash of a few bytes; differs for most lines that differ. Never 0.
std::uint64_t glance_at(std::string_view line) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio: spreads all bits
  std::uint64_t glance = line.size() + 1;
  if (line.size() < 8) {
    for (const char c : line) glance = glance * kMix + static_cast<unsigned char>(c);
  } else {
    glance = glance * kMix + eight_bytes(line.data());
    glance = glance * kMix + eight_bytes(line.data() + line.size() / 2 - 4);
    glance = glance * kMix + eight_bytes(line.data() + line.size() - 8);
  }
  return glance | 1;
}

}  // namespace

bool RepetitionDetector::is_same(std::uint32_t back, std::uint64_t glance, std::uint64_t hash) const {
  const std::size_t place = (count_ - back) % kLongestCycle;
  if (count_ < back || glances_[place] != glance) return false;
  return hashes_[place] == 0 || hashes_[place] == hash;
}

void RepetitionDetector::add(const Line& line) {
  const std::uint64_t glance = glance_at(line.text);
  bool seems_known = false;
  for (const std::uint64_t seen : glances_) seems_known |= seen == glance;
  std::uint64_t hash = 0;
  bool repeats = false;
  if (seems_known || in_a_run_) {
    hash = std::hash<std::string_view>{}(line.text);  // any good hash will do: it never leaves this process
    for (std::uint32_t i = 0; i < kLongestCycle; ++i) {
      const bool same = is_same(i + 1, glance, hash);
      runs_[i] = same ? runs_[i] + 1 : 0;
      repeats |= same;
    }
  }
  const std::size_t place = count_++ % kLongestCycle;
  glances_[place] = glance;
  hashes_[place] = hash;
  offsets_[place] = line.offset;
  in_a_run_ = repeats;
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
  most_.from = offsets_[(count_ - cycle) % kLongestCycle];
  most_.to = line.end;
  most_.line.assign(line.text.substr(0, kMaxRepeatedText));
}

Repetition RepetitionDetector::take() {
  return std::exchange(most_, {});
}

}  // namespace luzia
