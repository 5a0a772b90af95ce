// Whether a tool call of a job's agent may happen: what the project's gates say, else a person. One thread.
#pragma once

#include <chrono>

#include "tools/luzia/agents/hook/hook_event.h"
#include "tools/luzia/person.h"

namespace luzia::hook {

/// When a person has to decide.
enum class WhenAsked {
  wait,   // until the decision
  defer,  // end the agent's run; the decision is there when the session is resumed. Of several calls of one
          // message each waits
  deny,   // no person is asked
};

struct GateAnswer {
  std::string decision;  // allow, deny, defer; empty: the agent's own rules decide
  std::string reason;
  std::optional<PutInput> decided = {};  // to be confirmed once the agent has been told
};

/// `own`: with an attempt. `patience`: after it a call that nobody has decided about is denied.
Result<GateAnswer> pass_gate(DaemonLink& link, const OwnJob& own, const ToolCall& call, WhenAsked when,
                             std::chrono::milliseconds patience);

}  // namespace luzia::hook
