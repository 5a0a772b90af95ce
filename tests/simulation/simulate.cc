// The long form of the simulation: runs seeds from FIRST on for SECONDS, stops at the first broken rule and
// prints what happened. Usage: simulate FIRST SECONDS [COUNT] (COUNT: maximum number of seeds)
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/simulation/simulation.h"

int main(int argc, char** argv) {
  using luzia::test::Simulation;
  if (argc < 3) {
    std::cerr << "usage: simulate FIRST SECONDS [COUNT]\n";
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoll(argv[2], nullptr, 10));
  const std::uint64_t most = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : ~std::uint64_t{0};
  Simulation::Counts all;
  std::uint64_t seeds = 0;
  for (; seeds < most && std::chrono::steady_clock::now() < end; ++seeds) {
    Simulation simulation(first + seeds);
    const std::string broken = simulation.run();
    if (!broken.empty()) {
      for (const std::string& line : simulation.story()) std::cout << line << '\n';
      std::cout << "seed " << first + seeds << ": " << broken << '\n';
      return 1;
    }
    all += simulation.counts();
  }
  std::cout << seeds << " seeds from " << first << ", " << all.steps << " steps, " << all.events
            << " events, " << all.jobs << " jobs, " << all.attempts << " attempts, " << all.acknowledged
            << " acknowledged commands, " << all.crashes << " crashes, " << all.reboots << " reboots, "
            << all.failed_groups << " failed groups, " << all.seldom.drains << " drains, "
            << all.seldom.budgets_used_up << " budgets used up, " << all.seldom.imports << " imported jobs, "
            << all.seldom.escalations << " escalations, " << all.seldom.trials << " trials of solutions, "
            << all.seldom.removed_flows << " removals of flows, " << all.seldom.removed_jobs
            << " of jobs with " << all.seldom.erased_texts << " texts: no rule broken\n";
  return 0;
}
