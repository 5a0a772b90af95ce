// The long form of the simulation: runs seeds from FIRST on for SECONDS, stops at the first broken rule and
// prints what happened. Usage: simulate FIRST SECONDS [COUNT] (COUNT: maximum number of seeds)
#include <iostream>

#include "tests/campaign.h"
#include "tests/simulation/simulation.h"

int main(int argc, char** argv) {
  using luzia::test::Simulation;
  const luzia::test::Campaign campaign(argc, argv);
  const std::uint64_t first = campaign.first;
  Simulation::Counts all;
  std::uint64_t seeds = 0;
  for (; campaign.goes_on(seeds); ++seeds) {
    Simulation simulation(first + seeds);
    const std::string broken = simulation.run();
    if (!broken.empty()) {
      luzia::test::tell_broken(first + seeds, simulation.story(), broken);
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
            << " of jobs with " << all.seldom.erased_texts << " texts, " << all.seldom.expired
            << " expired files, " << all.seldom.limits << " ends at a limit, " << all.seldom.logins
            << " waits for a login, " << all.seldom.reroutes << " changes of agent, "
            << all.seldom.told_by_prompt << " messages read in prompts and " << all.seldom.told_by_calls
            << " at calls, " << all.seldom.due_runs << " jobs of schedules, " << all.seldom.missed_due
            << " due times missed and " << all.seldom.waiting_due << " that waited: no rule broken\n";
  return 0;
}
