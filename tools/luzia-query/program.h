// The whole program but for the process: from words to exit code.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "tools/luzia-query/console.h"

namespace luzia {

/// What the process lies in; tests give their own.
struct Surroundings {
  std::vector<std::string> arguments;  // without the program's name
  Environment environment;
  TimeUs now = 0;
  FILE* out = nullptr;
  FILE* err = nullptr;
  StreamTraits out_stream, err_stream;
  /// The process ends with the run: what was opened for reading is not taken apart, which is a twelfth of a
  /// look-up.
  bool ends_with_run = false;
};

/// Exit code: 0 done, 1 what was asked about is faulty (verify), else ErrorKind.
int run_program(const Surroundings& surroundings);

}  // namespace luzia
