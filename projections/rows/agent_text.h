// Sentences for what agents say in their own formats: calls of tools, todo lists, usage, errors, the end of
// their work; and for known problems in their output. Pure, any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// `sentence`, and the note behind it if there is one.
std::string with_note(std::string sentence, const flatbuffers::String* note, std::string_view joint = ": ");

std::string tool_text(const schema::ToolEvent& tool);
std::string usage_text(const schema::UsageEvent& usage);
std::string issue_text(const schema::IssueEvent& issue);
/// Of TodoReported, AgentRetried, AgentErrorReported and AgentConcluded.
std::string agent_report_text(const schema::ReportEvent& report);

/// completed, failed, usage_limit ...; "none" before the agent has said anything.
std::string_view agent_outcome_name(schema::AgentOutcome outcome);

}  // namespace luzia
