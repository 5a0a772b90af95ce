// What a fuzz target defines, and how it reports a broken rule: one line and abort, in every build type.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// The target: aborts if `input`, any bytes, breaks a rule. Each *_fuzz.cc defines it; entry.cc calls it.
void fuzz(std::string_view input);

inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", rule);
  std::abort();
}

/// The lines of `input`, of which the last one may be empty.
inline std::vector<std::string> lines_in(std::string_view input) {
  std::vector<std::string> lines(1);
  for (const char byte : input) {
    if (byte == '\n') {
      lines.emplace_back();
    } else {
      lines.back().push_back(byte);
    }
  }
  return lines;
}

}  // namespace luzia
