// How RE2 is set up wherever it confirms what was found. Private to adapters/issues.
#pragma once

#include <re2/re2.h>

namespace luzia {

/// Bytes, not characters; quiet; a program and its automaton within a MiB: beyond that RE2 refuses the former
/// and does without the latter, slower but still linear.
inline RE2::Options confirming_options() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace luzia
