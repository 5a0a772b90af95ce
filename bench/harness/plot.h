// A run as a picture: throughput against the size of the store, latencies, ratios to yardsticks. SVG. Pure.
#pragma once

#include <string>

#include "bench/harness/report.h"

namespace luzia::bench {

std::string plot_svg(const Run& run);

}  // namespace luzia::bench
