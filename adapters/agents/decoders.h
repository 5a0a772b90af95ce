// The decoders of agents' output, by the `output` of an agent's profile. Each is stateless and shared by all
// jobs.
#pragma once

#include "engine/ports/line_decoder.h"

namespace luzia {

/// Knows "text"; every other format reads as text too, because the marks that text may carry (progress,
/// workflow commands) are printed by the tools that agents run, whatever format the agent itself writes. Any
/// thread.
LineDecoderSource line_decoders();

}  // namespace luzia
