// Runs one attempt, from claim to exit record.
#pragma once

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

/// Reports to a waiting launcher that nothing was started and no exit record will follow. `kind`: empty, or
/// run_record::kNoRoom.
void report_failure(const Options& options, TextView& problem, const char* kind = "");

/// Runs the attempt and returns luzia-run's exit status (adapters/launcher/run_record.h).
int run_attempt(const Options& options);

}  // namespace luzia::run
