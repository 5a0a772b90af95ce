// Decides whether a tool call of a job's agent may happen: by the project's gates or by a person. One thread.
#pragma once

#include <chrono>

#include "tools/luzia/agents/hook/hook_event.h"
#include "tools/luzia/person.h"

namespace luzia::hook {

/// What to do if a person has to decide.
enum class WhenAsked {
  wait,   // wait for the decision
  defer,  // end the agent's run; the session is resumed with the decision. If the message has several calls,
          // each waits instead
  deny,   // ask nobody and deny
};

struct GateAnswer {
  std::string decision;  // allow, deny, defer; empty: the agent's own rules decide
  std::string reason;
  std::optional<PutPrompt> decided = {};  // confirm its delivery once the agent has been told
  bool undecided = false;                 // denied only because neither a person nor a policy decided in time
};

/// `own` must have an attempt. After `patience` a call that nobody has decided is denied.
Result<GateAnswer> pass_gate(DaemonLink& link, const OwnJob& own, const ToolCall& call, WhenAsked when,
                             std::chrono::milliseconds patience);

}  // namespace luzia::hook
