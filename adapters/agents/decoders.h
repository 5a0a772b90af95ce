// The decoders of agents' output, selected by `output` in an agent's profile. Each decoder is stateless and
// shared by all jobs.
#pragma once

#include "engine/ports/line_decoder.h"

namespace luzia {

/// Returns the decoder for `output`. Any thread.
///
/// - A name of agent_formats() (engine/ports/agent.h): that agent's JSON lines; every other line is text.
/// - "auto": each line is decoded by the format that recognizes it, else as text.
/// - "text" and any other name: text only.
///
/// Text is always decoded, whatever the agent's own format: the tools that agents run print progress and
/// workflow commands as plain text.
LineDecoderSource line_decoders();

}  // namespace luzia
