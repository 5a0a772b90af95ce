// One attempt from claim to exit record.
#pragma once

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

/// Tells a waiting launcher that nothing was started and no exit record will come. `kind`: empty, or
/// run_record::kNoRoom.
void report_failure(const Options& options, TextView& problem, const char* kind = "");

/// Runs it and returns luzia-run's exit status (adapters/launcher/run_record.h).
int run_attempt(const Options& options);

}  // namespace luzia::run
