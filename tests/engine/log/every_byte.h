// How closely the damage tests look: a sample of each file's bytes, or with LUZIA_EVERY_BYTE=1 all of them,
// which takes minutes and says how far it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace luzia::test {

inline bool every_byte() {
  return std::getenv("LUZIA_EVERY_BYTE") != nullptr;
}

/// From one byte that is tried to the next.
inline std::size_t byte_stride(std::size_t size, std::size_t samples) {
  return every_byte() ? 1 : std::max<std::size_t>(1, size / samples);
}

/// A line for each tenth of the file.
inline void tell_progress(const std::string& what, std::size_t at, std::size_t size) {
  const std::size_t tenth = std::max<std::size_t>(1, size / 10);
  if (every_byte() && at % tenth == 0) std::fprintf(stderr, "%s: %zu of %zu bytes\n", what.c_str(), at, size);
}

}  // namespace luzia::test
