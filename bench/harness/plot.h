// A run as a picture for people who have a moment: five times that users feel, each with what the bare
// machine takes for the operation below it. The table has everything. SVG. Pure.
#pragma once

#include <string>

#include "bench/harness/report.h"

namespace luzia::bench {

/// Figures that the run does not have are left out.
std::string plot_svg(const Run& run);

}  // namespace luzia::bench
