// How a fuzz target says that a rule is broken: one line and abort, in every build.
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
