// What an event says, in one sentence for people. Text of agents is as they wrote it: make it harmless before
// it reaches a terminal. Pure, any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// "attempt 1 started (pid 4711)". For a fact that this program does not know: the name of its domain.
std::string event_text(const schema::Event& event);

/// Whether the event explains a job's state (lifecycle, warning, error, question), not just its progress.
bool explains_state(const schema::Event& event);

/// Who did it: "daemon", "alice", "uid 1000", "agent", "runner".
std::string actor_text(const schema::Event& event);

/// The evidence: "reported by the parent process" or "seen in output.log at bytes 120-180 (osc94)".
std::string evidence_text(const schema::Event& event);

}  // namespace luzia
