// Core view devices: paired devices, by id, also those that were revoked. Each row is the fold of its stream
// by luzia::evolve.
#pragma once

#include <functional>
#include <memory>

#include "engine/device/device.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kDevicesView{41, 1, "devices", ViewKind::core};

std::unique_ptr<Projection> make_devices_projection(ViewReaderSource rows);

/// Rows with their secret hashes, which must not leave the daemon. Any thread.
void visit_devices(const ViewReader& rows, const std::function<void(Device)>& visit);

}  // namespace luzia
