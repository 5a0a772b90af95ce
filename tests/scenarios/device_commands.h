// The scenarios' commands about devices.
#pragma once

#include <optional>

#include "engine/core/command.h"
#include "tests/scenarios/step.h"
#include "tests/scenarios/world.h"

namespace luzia {

/// Parses a command about a device; the third word after the time is its id.
///   pair_device ID token=TEXT [name=N] [person=N] [role=R] [projects=a,b] [address=A]
///   revoke_device ID [note=TEXT], see_device ID [address=A]
/// Returns nullopt for another command.
std::optional<ToDevices> device_command(const Step& step);

/// Checks a device that is paired, or not (gone):
///   device ID [gone] [token=TEXT] [name=N] [person=N] [role=R] [projects=a,b] [address=A]
void expect_device(const Step& step, World& world);

}  // namespace luzia
