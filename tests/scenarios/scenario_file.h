// The scenarios of tests/scenarios/*.txt as they are read; scenario_test.cc has their language.
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

/// All, in the order of files and lines.
std::vector<Scenario> read_scenarios();

}  // namespace luzia
