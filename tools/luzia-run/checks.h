// Runs a job's checks: those that must pass before its agent starts (preflight), and those that prove its
// work when it has ended (verification).
#pragma once

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/sandbox.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

enum class Checked { passed, failed, stopped };

struct CheckRun {
  const Sandbox& sandbox;
  const char* kind;  // "preflight check": begins the problem
  const CheckList& list;
  int log;                // becomes their standard output and error; open for appending
  bool announce = false;  // each check's command goes into the log before its output
};

/// Runs the commands one after another with /bin/sh as the agent's user, in its directory and environment,
/// without input.
///
/// TERM asks the running check to end and gives it a grace period. USR1, or the end of that period, stops
/// waiting for it. TSTP stops the running check, with all its processes, until CONT.
///
/// On `failed` and `stopped`, `problem` says which check and why, and processes of the checks may still live.
/// `stopped` includes a stop before the first check or after the last; `stop_signal` is the signal with which
/// to end those processes.
Checked run_checks(const Options& options, const CheckRun& run, TextView& problem, int& stop_signal);

}  // namespace luzia::run
