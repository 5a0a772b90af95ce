// Runs the checks of a project that must pass before its agent starts.
#pragma once

#include "tools/luzia-run/job_files.h"
#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

enum class Preflight { passed, failed, stopped };

/// Runs the commands one after another with /bin/sh as the agent's user, in its directory and environment;
/// output goes to preflight.log.
///
/// TERM asks the running check to end and gives it a grace period. USR1, or the end of that period, stops
/// waiting for it.
///
/// On `failed` and `stopped`, `problem` is the start error, and processes of the checks may still live.
/// `stopped` includes a stop before the first check or after the last; `stop_signal` is the signal with which
/// to end those processes. Processes that a passed check leaves running are meant for the agent and live
/// until the attempt's end.
Preflight run_preflight(const Options& options, const JobFiles& files, TextView& problem, int& stop_signal);

}  // namespace luzia::run
