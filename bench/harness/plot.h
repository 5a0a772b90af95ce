// Draws a run as a chart for a quick look: five latencies that users notice, each with the bare machine's
// time for the underlying operation. The table has all figures. SVG. Pure.
#pragma once

#include <string>

#include "bench/harness/report.h"

namespace luzia::bench {

/// Skips figures that the run lacks.
std::string plot_svg(const Run& run);

}  // namespace luzia::bench
