// The decoders of agents' output, by the `output` of an agent's profile. Each is stateless and shared by all
// jobs.
#pragma once

#include "engine/ports/line_decoder.h"

namespace luzia {

/// A name of agent_formats() (engine/ports/agent.h): that agent's JSON lines, every other line as text.
/// "auto": each line as the agent's whose shape it has, else as text. "text", and any other name: text only,
/// because the marks that text may carry (progress, workflow commands) are printed by the tools that agents
/// run, whatever format the agent itself writes. Any thread.
LineDecoderSource line_decoders();

}  // namespace luzia
