// The scenarios: each measures one or more figures beside their yardsticks.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/measure.h"

namespace luzia::bench {

struct Setting {
  std::string bin;      // where the programs are
  std::string scratch;  // a folder on a real disk
  double seconds = 2;   // of each measured stretch
  int repetitions = 3;
  int jobs = 300;  // of scenarios that count jobs
};

struct Scenario {
  const char* name;
  const char* what;
  std::vector<Figure> (*run)(const Setting&);
};

const std::vector<Scenario>& scenarios();

std::vector<Figure> run_dispatch(const Setting& setting);
std::vector<Figure> run_e2e(const Setting& setting);
std::vector<Figure> run_status(const Setting& setting);
std::vector<Figure> run_watch(const Setting& setting);
std::vector<Figure> run_idle(const Setting& setting);
std::vector<Figure> run_open(const Setting& setting);

}  // namespace luzia::bench
