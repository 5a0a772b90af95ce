// RE2 settings wherever it confirms a match. Private to adapters/issues.
#pragma once

#include <re2/re2.h>

namespace luzia {

/// Bytes, not characters; no logging; at most 1 MiB each for the program and its automaton. RE2 refuses a
/// larger program. Without room for the automaton it runs slower but still in linear time.
inline RE2::Options confirming_options() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace luzia
