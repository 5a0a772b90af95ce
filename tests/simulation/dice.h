// Random numbers that depend only on the seed, on every platform. (The standard distributions do not.)
#pragma once

#include <cstdint>
#include <string>

namespace luzia::test {

class Dice {
 public:
  /// Scrambles the seed. Otherwise neighboring seeds would give the same sequence, shifted by one draw.
  explicit Dice(std::uint64_t seed) : state_(scrambled(scrambled(seed + 1) ^ 0x5851F42D4C957F2DU)) {}

  std::uint64_t next() { return scrambled(state_ += 0x9E3779B97F4A7C15U); }  // splitmix64
  /// 0 <= result < bound; bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  static std::uint64_t scrambled(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace luzia::test
