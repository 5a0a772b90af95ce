#include "tools/luziad/queries/literal_scan.h"

#include <algorithm>
#include <cassert>

#include "engine/base/lower_case.h"

namespace luzia {
namespace {

constexpr std::size_t kSampleBytes = 4 << 10;
constexpr std::size_t kMostPatience = 1 << 20;
constexpr std::ptrdiff_t kBlock = 256, kSmallBlock = 16;

constexpr unsigned char fold_of(char low) {
  return low >= 'a' && low <= 'z' ? 0x20 : 0;
}

/// Whether both bytes fit at one of `size` places. The compiler makes it compare many at once.
template <std::ptrdiff_t size>
[[gnu::always_inline]] inline bool fits_within(const char* first, const char* second, unsigned char byte,
                                               unsigned char fold, unsigned char other_byte,
                                               unsigned char other_fold) {
  unsigned char any = 0;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const auto here = static_cast<unsigned char>(static_cast<unsigned char>(first[i]) | fold);
    const auto there = static_cast<unsigned char>(static_cast<unsigned char>(second[i]) | other_fold);
    any = static_cast<unsigned char>(any | ((here == byte) & (there == other_byte)));
  }
  return any != 0;
}

/// The first block from `place` on, a multiple of kBlock away, where both bytes fit; else the first that is
/// not whole before `end`. `to_other`: from the one byte to the other.
[[gnu::always_inline]] inline const char* next_block(const char* place, const char* end,
                                                     std::ptrdiff_t to_other, unsigned char byte,
                                                     unsigned char fold, unsigned char other_byte,
                                                     unsigned char other_fold) {
  while (end - place >= kBlock &&
         !fits_within<kBlock>(place, place + to_other, byte, fold, other_byte, other_fold))
    place += kBlock;
  return place;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] const char* next_block_by_32(const char* place, const char* end,
                                                     std::ptrdiff_t to_other, unsigned char byte,
                                                     unsigned char fold, unsigned char other_byte,
                                                     unsigned char other_fold) {
  return next_block(place, end, to_other, byte, fold, other_byte, other_fold);
}
#endif

}  // namespace

LiteralScan::LiteralScan(std::string_view literal) : literal_(lower_case(literal)) {
  assert(!literal_.empty());
  for (const char each : literal_) folds_ += static_cast<char>(fold_of(each));
}

/// Chooses the two bytes that are rarest in the beginning of a text.
void LiteralScan::learn(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char each : text.substr(0, kSampleBytes)) ++counts[static_cast<unsigned char>(each)];
  const auto count_of = [&](std::size_t at) {
    const auto byte = static_cast<unsigned char>(literal_[at]);
    const bool has_cases = fold_of(literal_[at]) != 0;
    return counts[byte] + (has_cases ? counts[byte ^ 0x20u] : 0);
  };
  std::size_t first = 0, second = literal_.size() - 1;
  for (std::size_t i = 0; i < literal_.size(); ++i) {
    if (count_of(i) < count_of(first)) first = i;
  }
  if (second == first) second = 0;
  for (std::size_t i = 0; i < literal_.size(); ++i) {
    if (i != first && count_of(i) < count_of(second)) second = i;
  }
  const auto mark = [&](std::size_t at) {
    return Mark{at, static_cast<unsigned char>(literal_[at]), fold_of(literal_[at])};
  };
  rarest_ = {mark(first), mark(second)};
  patience_ = next_patience_;
  next_patience_ = std::min(2 * next_patience_, kMostPatience);
}

bool LiteralScan::is_at(const char* place) const {
  for (std::size_t i = 0; i < literal_.size(); ++i) {
    if (static_cast<char>(place[i] | folds_[i]) != literal_[i]) return false;
  }
  return true;
}

/// The first place from `place` on at which both bytes fit; `end`: none before it.
const char* LiteralScan::next_likely(const char* place, const char* end) const {
  const auto& [first, second] = rarest_;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first.at);
  const std::ptrdiff_t to_other = static_cast<std::ptrdiff_t>(second.at) - at;
  const char* here = place + at;
  const char* const last = end + at;
  while (true) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
      here = next_block_by_32(here, last, to_other, first.byte, first.fold, second.byte, second.fold);
    } else
#endif
      here = next_block(here, last, to_other, first.byte, first.fold, second.byte, second.fold);
    const char* const block_end = here + std::min(kBlock, last - here);
    while (block_end - here >= kSmallBlock &&
           !fits_within<kSmallBlock>(here, here + to_other, first.byte, first.fold, second.byte, second.fold))
      here += kSmallBlock;
    for (const char* const few = here + std::min(kSmallBlock, block_end - here); here < few; ++here) {
      if (fits_within<1>(here, here + to_other, first.byte, first.fold, second.byte, second.fold))
        return here - at;
    }
    if (here == last) return end;
  }
}

std::size_t LiteralScan::find(std::string_view text, std::size_t from) {
  if (text.size() < literal_.size() || from > text.size() - literal_.size()) return std::string_view::npos;
  const char* const end = text.data() + (text.size() - literal_.size()) + 1;
  const char* place = text.data() + from;
  if (patience_ == 0) learn(text.substr(from));
  while ((place = next_likely(place, end)) != end) {
    if (is_at(place)) return static_cast<std::size_t>(place - text.data());
    ++place;
    if (--patience_ == 0) learn(text.substr(static_cast<std::size_t>(place - text.data())));
  }
  return std::string_view::npos;
}

}  // namespace luzia
