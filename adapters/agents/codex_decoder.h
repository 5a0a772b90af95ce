// Codex: `codex exec --json`. Seen with 0.169.
//
//   thread.started       SessionIdentified; it names no model.
//   item.started         ToolCalled of command_execution, file_change, mcp_tool_call, web_search and items of
//   types to
//                        come that have a status. Ids (item_3) are unique within the run.
//   item.completed       ToolReturned, with the item's type once more: some releases complete items that they
//   have
//                        not started.
//   todo_list items      TodoReported, whole, at each of started, updated and completed.
//   turn.completed       UsageReported: totals of the thread so far, resumed runs included (session_total);
//   no cost,
//                        no session id on the line. input_tokens contains the cached ones. AgentConcluded.
//   error                "Reconnecting... 2/5 (why)" -> AgentRetried; any other AgentErrorReported.
//   turn.failed          AgentConcluded, with the words of the error before it.
// A usage limit is words only ("try again at 11:40 AM.", of a clock whose zone and day the line does not
// say): what they mean depends on where and when they are read (limit_words.h).
#pragma once

#include "adapters/agents/agent_lines.h"

namespace luzia {

class CodexDecoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "codex-json"; }
  /// Types have a dot (thread.started); of the type "error" neither a session nor a time.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

}  // namespace luzia
