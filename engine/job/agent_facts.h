// What an agent says of its own work, folded into the state of its job: how it ended, which usage limit it
// ran into, what it used. Pure.
#pragma once

#include "engine/job/job.h"

namespace luzia {

void evolve_report(JobState& state, const schema::ReportEvent& report);
void evolve_usage(JobState& state, const schema::UsageEvent& usage);
/// Another attempt begins, about which the agent has said nothing yet.
void forget_agent_facts(JobState& state);

/// The same limit may be told twice, once by its name and once as a mere text: the name stays.
void name_limit(std::string& known, std::string_view reported);

}  // namespace luzia
