// Figures as a table for people and as JSON for comparison.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/measure.h"

namespace luzia::bench {

std::string figures_table(const std::vector<Figure>& figures);
std::string figures_json(const std::vector<Figure>& figures);

}  // namespace luzia::bench
