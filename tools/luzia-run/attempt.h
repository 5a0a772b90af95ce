// One attempt from claim to exit record.
#pragma once

#include "tools/luzia-run/options.h"

namespace luzia::run {

/// Runs it and returns luzia-run's exit status (adapters/launcher/run_record.h).
int run_attempt(const Options& options);

}  // namespace luzia::run
