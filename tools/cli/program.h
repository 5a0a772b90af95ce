// Runs a program's command line, from words to exit code. Tests call it, too.
#pragma once

#include "tools/cli/command.h"
#include "tools/cli/surroundings.h"

namespace luzia {

/// Runs one command line. Returns the exit code: 0 done, 1 the thing asked about failed, else the ErrorKind.
int run_program(const Program& program, const Surroundings& surroundings);

}  // namespace luzia
