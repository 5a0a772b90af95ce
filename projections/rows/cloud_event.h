// Events as CloudEvents 1.0 in JSON, for other systems. Any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// One CloudEvent, without a line break: id "site:position" (unique together with the source "luzia/SITE"),
/// type "luzia.JobQueued", subject = the stream, `data` = the fact's fields by their schema names. What else
/// the envelope holds stands in extension attributes, which must be lower-case letters and digits, and whose
/// numbers have 32 bits only, hence strings: position, streamversion, cause (the id of the event before),
/// actor, evidence, evidencelog (attempt, generation and byte range), rule, commandid.
std::string cloud_event_json(const schema::Event& event);

}  // namespace luzia
