// Gemini CLI: `gemini --output-format stream-json`. Seen with 0.61.
//
//   init                 SessionIdentified.
//   tool_use             ToolCalled; of write_todos TodoReported too.
//   tool_result          ToolReturned. A command that failed is a success here and has no exit code: only
//   what the
//                        CLI itself refused or could not run is a failure.
//   error                severity "error" -> AgentErrorReported; warnings are the CLI's own and change
//   nothing. result               UsageReported: totals of the process (attempt_total), by_model; no cost.
//   input_tokens contains
//                        the cached ones. AgentErrorReported where there is an error, and AgentConcluded. A
//                        used-up quota is LimitReached without a time to wait for.
#pragma once

#include "adapters/agents/agent_lines.h"

namespace luzia {

class GeminiDecoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "gemini-stream-json"; }
  /// One of six types, and a timestamp without Claude's message objects and uuid or opencode's sessionID.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

}  // namespace luzia
