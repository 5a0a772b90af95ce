// A program without its main: from words to exit code. Tests call it too.
#pragma once

#include "tools/cli/command.h"
#include "tools/cli/surroundings.h"

namespace luzia {

/// Runs one command line. The exit code: 0 done, 1 what was asked about failed, else ErrorKind.
int run_program(const Program& program, const Surroundings& surroundings);

}  // namespace luzia
