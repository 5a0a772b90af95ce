// Events as CloudEvents 1.0 in JSON, for other systems. Any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// One CloudEvent without a line break. Its id is "site:position", unique together with the source
/// "luzia/SITE". Its type is "luzia.JobQueued", its subject the stream, and `data` the fact's fields by their
/// schema names.
///
/// The rest of the envelope is in extension attributes: position, streamversion, cause (the id of the causing
/// event), actor, evidence, evidencelog (attempt, generation and byte range), rule, commandid. Attribute
/// names allow only lowercase letters and digits. Their numbers have only 32 bits, so numbers are strings.
std::string cloud_event_json(const schema::Event& event);

}  // namespace luzia
