// Frames between luzia-fleet read and the program that runs it (schema/fleet.fbs); FrameReader finds them.
// Stateless; any thread.
#pragma once

#include "adapters/socket/frame.h"
#include "fleet.fb.h"

namespace luzia {

/// Verifies and returns the root, or `bad_frame`. `frame` is aligned to 8 and outlives the result.
Result<const wire::FleetQuestion*> parse_fleet_question(Bytes frame);
Result<const wire::FleetAnswer*> parse_fleet_answer(Bytes frame);

}  // namespace luzia
