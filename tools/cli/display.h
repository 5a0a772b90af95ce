// Display settings beyond the style of stdout (terminal.h): what stderr allows, [display] and [limits].
#pragma once

#include <cstdint>

#include "tools/cli/invocation.h"

namespace luzia {

/// Whether a line on stderr may rewrite itself: it is a terminal, and TERM is set and not dumb.
bool stderr_draws();

/// [display] compact_format, but only if stdout is a terminal: output for scripts does not change.
bool is_compact(Invocation& invocation);

/// [limits]: how much people are shown at once. Everything is recorded regardless.
struct ShownLimits {
  std::uint32_t output_lines = 50;  // max_buffer_size: lines of a job's output that luzia top keeps
  std::uint32_t history = 100;      // max_history: ended jobs, and events of one job
};
/// The defaults if the configuration cannot be read.
ShownLimits shown_limits(Invocation& invocation);

}  // namespace luzia
