// luzia-fleet: mirrors this machine's log to a PostgreSQL database that a fleet shares. A client of the
// daemon's socket: whatever happens to it or to the database, the log does not notice.
#include <cstdlib>

#include "engine/base/standard_files.h"
#include "tools/cli/program.h"
#include "tools/luzia-fleet/commands.h"

int main(int argc, char** argv) {
  luzia::open_standard_files();
  // It speaks for the machine, never for the job in which somebody started it.
  for (const char* name : {"LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_CREDENTIAL", "LUZIA_ON"}) ::unsetenv(name);
  return luzia::run_program(luzia::kLuziaFleet, luzia::process_surroundings({argv + 1, argv + argc}));
}
