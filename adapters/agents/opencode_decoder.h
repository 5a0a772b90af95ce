// opencode: `opencode run --format json`. Seen with 1.18.
//
//   step_start           SessionIdentified. Every line names the session and none says it first: a step is
//   one request
//                        to the model, so this is one small event beside the step's UsageReported, and the
//                        session is known before the first tool runs. Its model is not in the stream.
//   tool_use             printed when the tool is done: ToolCalled and ToolReturned (and ToolDenied) from one
//   line; of
//                        todowrite TodoReported. Subagents are not in the stream. A person's refusal ends the
//                        run without a further word: AgentConcluded stopped_after_denial; a rule's refusal
//                        does not.
//   step_finish          UsageReported of the step (scope turn), cost included. input_tokens does not contain
//   the
//                        cached ones. Its reason "stop" (or any but "tool-calls" and "unknown") ->
//                        AgentConcluded.
//   error                AgentErrorReported and AgentConcluded, and SessionIdentified: it may come before any
//   step.
// Requests that are tried again, even for hours, are not in the stream.
#pragma once

#include "adapters/agents/agent_lines.h"

namespace luzia {

class OpencodeDecoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "opencode-json"; }
  /// Has a sessionID, so spelt.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

}  // namespace luzia
