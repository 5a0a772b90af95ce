// serve_until_killed STORE FIRST OPERATION FD: serves commands FIRST, FIRST + 1, ... of the fixed script
// without end and writes the number of each acknowledged one to the pipe FD. It dies as by kill -9 during
// disk operation OPERATION (0: never), at the failpoint in LUZIA_FAILPOINTS, or when it is killed. It is a
// separate process because it has to die.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/crash/faulty_life.h"

int main(int argc, char** argv) {
  using namespace luzia::test;
  if (argc != 5) return 2;
  const int first = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  const int pipe = static_cast<int>(std::strtol(argv[4], nullptr, 10));
  FragileEnv fragile(argv[1]);
  fragile.disk().when_power_goes([] { (void)raise(SIGKILL); });
  fragile.disk().lose_power_at(std::strtoull(argv[3], nullptr, 10));
  auto life = FaultyLife::start(argv[1], fragile.env());
  if (!life) return 3;
  for (int i = first;; ++i) {
    (*life)->send(i);
    if (!(*life)->heard(i).acknowledged) return 4;
    if (write(pipe, &i, sizeof i) != sizeof i) return 5;
    if (i % 5 == 4) (*life)->upkeep();
  }
}
