// What an event says, in one sentence for people. Text of agents in it is as they wrote it: make it harmless
// before it reaches a terminal.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// "attempt 1 started (pid 4711)". For a fact that this program does not know: its domain's name.
std::string event_text(const schema::Event& event);

/// Whether the event explains a job's state (life cycle, warning, error, question), not just its course.
bool explains_state(const schema::Event& event);

/// Who: "daemon", "alice", "uid 1000", "agent", "runner".
std::string actor_text(const schema::Event& event);

/// How we know: "reported by the parent process" or "seen in output.log at bytes 120-180 (osc94)".
std::string evidence_text(const schema::Event& event);

}  // namespace luzia
