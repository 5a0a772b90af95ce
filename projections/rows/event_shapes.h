// The schema of events as data, with which event_json names every field of every fact, including defaults.
// Built once from the schema embedded in the program; constant and shared by all threads afterwards.
#pragma once

#include <cstdint>

#include "projections/rows/json_writer.h"

namespace luzia {

/// Writes the fields of an event's fact as an object; null: this program does not know the fact.
void write_fact(JsonWriter& json, std::uint8_t payload_type, const void* payload);

}  // namespace luzia
