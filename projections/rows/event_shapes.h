// The schema of events as data: what event_json needs to name every field of every fact, defaults included.
// Built once from the schema that is embedded in the program; constant and shared by all threads from then
// on.
#pragma once

#include <cstdint>

#include "projections/rows/json_writer.h"

namespace luzia {

/// Writes the fields of an event's fact: an object, or null for a fact that this program does not know.
void write_fact(JsonWriter& json, std::uint8_t payload_type, const void* payload);

}  // namespace luzia
