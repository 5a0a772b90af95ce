// Paired devices for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// Fields: id name person role projects paired_at paired_by seen_at address revoked_at revoked_by note
/// position.
std::string device_json(const view::Device& device);
Table devices_table(const std::vector<const view::Device*>& devices, TimeUs now, Form form = Form::people);

/// The event as a sentence.
std::string device_text(const schema::DeviceEvent& event);

}  // namespace luzia
