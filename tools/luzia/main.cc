// luzia: the command line. Each run executes one command; see command_table.cc.
#include "engine/base/standard_files.h"
#include "tools/cli/program.h"
#include "tools/luzia/families.h"
#include "tools/luzia/signals.h"

int main(int argc, char** argv) {
  luzia::open_standard_files();
  const int code = luzia::run_program(luzia::kLuzia, luzia::process_surroundings({argv + 1, argv + argc}));
  luzia::end_as_stopped(code);
  return code;
}
