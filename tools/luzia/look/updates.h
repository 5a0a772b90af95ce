// [status_updates] of the caller's configuration.
#pragma once

#include "projections/rows/status_updates.h"

namespace luzia {

class Invocation;

/// The settings of the configuration; the defaults with --json or if it cannot be read.
UpdateSettings update_settings(Invocation& invocation);

}  // namespace luzia
