// Reads the scenarios of tests/scenarios/*.txt; scenario_test.cc describes their language.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/scenarios/step.h"

namespace luzia {

struct Scenario {
  std::string file, name;
  std::vector<Step> steps;
};

/// How GoogleTest names a scenario in its messages.
void PrintTo(const Scenario& scenario, std::ostream* out);

/// All scenarios, in the order of files and lines.
std::vector<Scenario> read_scenarios();

}  // namespace luzia
