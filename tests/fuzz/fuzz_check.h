// How a fuzz target reports a broken rule: one line and abort, in every build type.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace luzia {

inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", rule);
  std::abort();
}

}  // namespace luzia
