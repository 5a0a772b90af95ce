// Claude Code: `claude -p --output-format stream-json --verbose`. Seen with 2.1; older lines lack fields,
// which then say nothing.
//
//   system/init          SessionIdentified. Every line names the session, but only this one is reported:
//                        once a turn.
//   assistant            one content block a line: tool_use -> ToolCalled (of a subagent with
//   parent_call_id),
//                        and TodoWrite -> TodoReported. `error` -> AgentErrorReported. Its usage is a running
//                        value that must not be summed, so it is left alone.
//   user                 tool_result -> ToolReturned, refused by a person or rule also ToolDenied; results of
//                        TaskCreate, TaskUpdate, TaskList -> TodoReported of single items: their ids stand
//                        here only.
//   result               UsageReported: tokens since the last result (scope turn), subagents' and those of
//                        broken-off requests included where the line has them by model; `usage`, which older
//                        releases have alone, leaves those out. The cost is that of the session so far,
//                        resumed runs included (session_total). by_model: the same tokens, cost of the
//                        session. AgentConcluded; more than one per process when background work ends later.
//   rate_limit_event     rejected -> LimitReached, allowed_warning -> LimitWarned.
//   system/api_retry     AgentRetried.
// stream_event lines (--include-partial-messages) repeat what assistant lines say and mean nothing here.
// input_tokens does not contain the cached ones.
#pragma once

#include "adapters/agents/agent_lines.h"

namespace luzia {

class ClaudeDecoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "claude-stream-json"; }
  /// Has a type, and a session_id as all but control messages have, without Gemini's shapes of the same
  /// types.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

}  // namespace luzia
