// luzia: the command line. One command a run; see command_table.cc.
#include <string>
#include <vector>

#include "engine/base/standard_files.h"
#include "tools/luzia/program.h"
#include "tools/luzia/signals.h"

int main(int argc, char** argv) {
  luzia::open_standard_files();
  const int code = luzia::run_program({argv + 1, argv + argc});
  luzia::end_as_stopped(code);
  return code;
}
