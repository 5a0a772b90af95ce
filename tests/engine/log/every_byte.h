// How many bytes of each file the damage tests try: a sample, or with LUZIA_EVERY_BYTE=1 all of them. The
// latter takes minutes and prints its progress.
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

/// The distance between two bytes that are tried.
inline std::size_t byte_stride(std::size_t size, std::size_t samples) {
  return every_byte() ? 1 : std::max<std::size_t>(1, size / samples);
}

/// Prints a line for each tenth of the file.
inline void tell_progress(const std::string& what, std::size_t at, std::size_t size) {
  const std::size_t tenth = std::max<std::size_t>(1, size / 10);
  if (every_byte() && at % tenth == 0) std::fprintf(stderr, "%s: %zu of %zu bytes\n", what.c_str(), at, size);
}

}  // namespace luzia::test
