// What an agent reports about its own work, folded into the state of its job: its outcome, its usage limit,
// what it used. Pure.
#pragma once

#include <string_view>

#include "engine/job/job.h"

namespace luzia {

/// Kind of the AgentErrorReported of an agent that does not have the session that it is to resume.
constexpr std::string_view kSessionGone = "session_gone";
/// Kind of the AgentErrorReported of an agent that nobody has logged in.
constexpr std::string_view kLoginMissing = "authentication_missing";

void evolve_report(JobState& state, const schema::ReportEvent& report);
void evolve_usage(JobState& state, const schema::UsageEvent& usage);
/// Follows the calls that change files: how many were denied, and whether any was not.
void evolve_tool(JobState& state, const schema::ToolEvent& tool);
/// Another attempt begins: forgets what the agent reported in the last one.
void forget_agent_facts(JobState& state);

/// An agent may report the same limit twice, once by name and once without: the name stays.
void name_limit(std::string& known, std::string_view reported);

}  // namespace luzia
