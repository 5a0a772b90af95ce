// The checks of a project that must pass before its agent starts.
#pragma once

#include "tools/luzia-run/job_files.h"
#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

enum class Preflight { passed, failed, stopped };

/// Runs the commands one after another by /bin/sh as the agent's user, in its directory and environment,
/// output to preflight.log. On `failed` and `stopped`, `problem` is the start error and what the checks
/// started may still live; on `stopped`, `stop_signal` is what they are to be ended with. What a passed check
/// leaves running is meant for the agent and lives until the attempt's end.
Preflight run_preflight(const Options& options, const JobFiles& files, TextView& problem, int& stop_signal);

}  // namespace luzia::run
