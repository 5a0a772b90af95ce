// Paired devices for people and scripts. Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// The time of a position of the log; 0: unknown. Rows name the position alone.
using TimeOfPosition = std::function<TimeUs(Position)>;

/// Fields: id name person role projects paired_at paired_by seen_at address revoked_at revoked_by note push
/// position. `push`: null, or which pushes it gets: service kinds since ended.
std::string device_json(const view::Device& device, const TimeOfPosition& time_of);
Table devices_table(const std::vector<const view::Device*>& devices, TimeUs now, Form form,
                    const TimeOfPosition& time_of);

/// The event as a sentence.
std::string device_text(const schema::DeviceEvent& event);

}  // namespace luzia
