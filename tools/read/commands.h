// The read commands, shared by all programs. They read from a daemon or a store, now or in the past (--at).
#pragma once

#include "engine/flow/flow.h"
#include "tools/read/session.h"

namespace luzia {

extern const Command kStatusCommand, kDigestCommand, kJobsCommand, kJobCommand, kWhyCommand, kQueueCommand;
extern const Command kInboxCommand, kQuestionsCommand, kApprovalsCommand, kAuditCommand;
extern const Command kFlowsCommand, kFlowCardCommand, kEventsCommand;
/// The same as luzia flow suggest.
extern const Command kSuggestionsCommand;
/// The same as luzia flow context.
extern const Command kFlowContextCommand;
extern const Command kStatsCommand, kCostCommand, kToolUseCommand, kLearningCommand, kChangesCommand;
extern const Command kDevicesCommand;
/// The same as a part of luzia web.
extern const Command kWebDevicesCommand;

// Functions for commands of luzia that have further forms.
Result<int> show_flow(Session& session, const std::string& name);
/// What could come next in a flow.
Result<int> show_suggestions(Session& session, const std::string& name);
/// What the flow's next step should know: a JSON object, or with --as-prompt a section of a prompt.
Result<int> show_flow_context(Session& session, const std::string& name);
Result<int> list_flows(Session& session);
/// Recurring jobs: when each is due, and how it went.
Result<int> show_schedules(Session& session);
/// One page about a project.
Result<int> show_project(Session& session, const std::string& name);
Result<int> show_issues(Session& session);
std::vector<Column> issue_fields(std::string_view by);
Result<int> show_changes(Session& session);

}  // namespace luzia
