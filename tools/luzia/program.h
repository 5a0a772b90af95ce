// The program without its main: tests call it too.
#pragma once

#include <string>
#include <vector>

namespace luzia {

/// Runs one command line (without the program's name); the exit code.
int run_program(std::vector<std::string> words);

}  // namespace luzia
