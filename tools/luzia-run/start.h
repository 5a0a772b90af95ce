// Starts the agent, or a preflight check, as a child in a session of its own.
#pragma once

#include <sys/types.h>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/run_files.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

struct Start {
  char** command = nullptr;         // argv
  int input = -1;                   // becomes fd 0
  int output = -1;                  // becomes fds 1 and 2
  const RunFiles* claim = nullptr;  // records the child before it runs; null for a preflight check
  // Told with a program that cannot be run.
  const char* remedy = "install it, or fix the agent's command and hand the task over anew";
};

struct Started {
  pid_t pid = -1;                // -1: not started, the reason is in `problem`
  unsigned long long start = 0;  // filled when there is a claim
  bool program_missing = false;  // not started because there is no such program
};

/// Returns when the child runs the program, or could not. All signals must be blocked in the caller and have
/// their default dispositions; the child starts with none blocked. The child's umask is 022: the job
/// directory is closed to others by its own mode, and what an agent leaves in a project is meant for those
/// who share it.
Started start_child(const Options& options, const Start& what, TextView& problem);

}  // namespace luzia::run
