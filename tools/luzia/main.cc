// luzia: the command line. One command a run; see command_table.cc.
#include <string>
#include <vector>

#include "tools/luzia/program.h"

int main(int argc, char** argv) {
  return luzia::run_program({argv + 1, argv + argc});
}
