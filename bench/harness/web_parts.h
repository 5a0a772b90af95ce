// The parts of the scenario web. Each returns its figures; one that needs a browser returns none if
// page_script says that there is none.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/page_script.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {

inline constexpr double kWebEventsPerSecond = 200;

std::vector<Figure> measure_live(const Setting& setting, PageScript& page);
std::vector<Figure> measure_now(const Setting& setting, PageScript& page);
std::vector<Figure> measure_jobs(const Setting& setting, PageScript& page);
std::vector<Figure> measure_output(const Setting& setting, PageScript& page);
std::vector<Figure> measure_read(const Setting& setting);
std::vector<Figure> measure_readers(const Setting& setting);
std::vector<Figure> measure_attacks(const Setting& setting);

}  // namespace luzia::bench
