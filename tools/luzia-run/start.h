// Starts the agent, or a check, as a child in its own session.
#pragma once

#include <sys/types.h>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/run_files.h"
#include "tools/luzia-run/sandbox.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

struct Start {
  const Sandbox& sandbox;           // where it runs
  char** command = nullptr;         // argv
  int input = -1;                   // becomes fd 0
  int output = -1;                  // becomes fds 1 and 2
  int errors = -1;                  // becomes fd 2 instead, if it is given
  const RunFiles* claim = nullptr;  // records the child before it runs; null for a check
  // Added to the error if the program cannot be run.
  const char* remedy = "install it, or fix the agent's command and dispatch the task again";
};

struct Started {
  pid_t pid = -1;                // -1: not started; the reason is in `problem`
  unsigned long long start = 0;  // set if there is a claim
  bool program_missing = false;  // not started because the program does not exist
};

/// Returns once the child runs the program or has failed to. The caller must have blocked all signals and
/// kept their default dispositions; the child starts with none blocked. The child's umask is 022. The job
/// directory's own mode keeps others out, and files that an agent leaves in a project are for everyone who
/// shares it.
Started start_child(const Options& options, const Start& what, TextView& problem);

/// Takes on the agent's user and groups, if they are others than ours. False with errno.
bool become_user(const Options& options);

/// Sets the soft limit of open files. The daemon has raised its own; the agent gets the usual one: programs
/// with select() break beyond 1,024, and some close every descriptor up to the limit. Not raised if the hard
/// limit is lower.
void limit_open_files(const Options& options);

}  // namespace luzia::run
