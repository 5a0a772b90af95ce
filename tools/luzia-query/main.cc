// luzia-query: the read side. Asks the daemon when it runs, else reads the store itself.
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "engine/base/standard_files.h"
#include "tools/luzia-query/program.h"

namespace {

luzia::StreamTraits traits_of(int fd) {
  luzia::StreamTraits traits;
  traits.terminal = isatty(fd) == 1;
  winsize size{};
  if (traits.terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) traits.columns = size.ws_col;
  return traits;
}

luzia::TimeUs wall_clock() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

/// The sanitizers look at the end for what was not given back.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kEndsAtOnce = false;
#else
constexpr bool kEndsAtOnce = true;
#endif

/// A reader keeps every table file open: of tens of millions of jobs more than the usual 1,024.
void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  luzia::open_standard_files();
  luzia::Surroundings surroundings;
  surroundings.arguments.assign(argv + 1, argv + argc);
  surroundings.environment = [](const char* name) -> const char* { return std::getenv(name); };
  surroundings.now = wall_clock();
  surroundings.out = stdout;
  surroundings.err = stderr;
  surroundings.out_stream = traits_of(STDOUT_FILENO);
  surroundings.err_stream = traits_of(STDERR_FILENO);
  surroundings.ends_with_run = kEndsAtOnce;
  allow_many_files();
  const int code = luzia::run_program(surroundings);
  if (!kEndsAtOnce) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}
