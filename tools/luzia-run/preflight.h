// The checks of a project that must pass before its agent starts.
#pragma once

#include "tools/luzia-run/job_files.h"
#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

enum class Preflight { passed, failed, stopped };

/// Runs the commands one after another by /bin/sh as the agent's user, in its directory and environment,
/// output to preflight.log. TERM asks the check that runs to end, and it may take its time to; USR1, or the
/// end of that time, does not ask. On `failed` and `stopped`, `problem` is the start error and what the
/// checks started may still live; on `stopped`, which is also that a stop came before the first or after the
/// last check, `stop_signal` is what they are to be ended with. What a passed check leaves running is meant
/// for the agent and lives until the attempt's end.
Preflight run_preflight(const Options& options, const JobFiles& files, TextView& problem, int& stop_signal);

}  // namespace luzia::run
