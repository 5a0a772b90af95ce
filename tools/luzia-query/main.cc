// luzia-query: the read side. Asks the daemon when it runs, else reads the store itself.
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

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

}  // namespace

int main(int argc, char** argv) {
  luzia::Surroundings surroundings;
  surroundings.arguments.assign(argv + 1, argv + argc);
  surroundings.environment = [](const char* name) -> const char* { return std::getenv(name); };
  surroundings.now = wall_clock();
  surroundings.out = stdout;
  surroundings.err = stderr;
  surroundings.out_stream = traits_of(STDOUT_FILENO);
  surroundings.err_stream = traits_of(STDERR_FILENO);
  return luzia::run_program(surroundings);
}
