// Sentences for what agents report in their own formats (tool calls, todo lists, usage, errors, outcomes) and
// for known issues in their output. Pure, any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// `sentence`, followed by `joint` and the note if there is one.
std::string with_note(std::string sentence, const flatbuffers::String* note, std::string_view joint = ": ");

std::string tool_text(const schema::ToolEvent& tool);
std::string usage_text(const schema::UsageEvent& usage);
std::string issue_text(const schema::IssueEvent& issue);
/// For TodoReported, AgentRetried, AgentErrorReported and AgentConcluded.
std::string agent_report_text(const schema::ReportEvent& report);

/// completed, failed, usage_limit, ...; "none" before the agent has reported an outcome.
std::string_view agent_outcome_name(schema::AgentOutcome outcome);

}  // namespace luzia
