// luzia-query: the read side. Asks the daemon if it runs, otherwise reads the store itself.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "engine/base/standard_files.h"
#include "tools/cli/program.h"
#include "tools/luzia-query/commands.h"

namespace {

/// Whether to exit without freeing memory. Not with sanitizers: they check for leaks at the end.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kEndsAtOnce = false;
#else
constexpr bool kEndsAtOnce = true;
#endif

/// Raises the limit of open files. A reader keeps every table file open, which can be more than the usual
/// 1,024 with tens of millions of jobs.
void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  luzia::open_standard_files();
  luzia::Surroundings surroundings = luzia::process_surroundings({argv + 1, argv + argc});
  surroundings.now = luzia::wall_clock();
  surroundings.ends_with_run = kEndsAtOnce;
  allow_many_files();
  const int code = luzia::run_program(luzia::kLuziaQuery, surroundings);
  if (!kEndsAtOnce) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}
