// What [display] and the terminal on stderr allow beyond the style of stdout (terminal.h).
#pragma once

#include <cstdint>

#include "tools/cli/invocation.h"

namespace luzia {

/// Whether a line on stderr may rewrite itself: a terminal, and TERM names one that can.
bool stderr_draws();

/// [display] compact_format, where stdout is a terminal: what scripts read stays as it is.
bool is_compact(Invocation& invocation);

/// [limits]: how much people are shown at once. Whatever it is, all of it is recorded.
struct ShownLimits {
  std::uint32_t output_lines = 50;  // max_buffer_size: of the output that luzia top keeps of a job
  std::uint32_t history = 100;      // max_history: jobs that have ended, and events of one job
};
/// As without a configuration where none can be read.
ShownLimits shown_limits(Invocation& invocation);

}  // namespace luzia
