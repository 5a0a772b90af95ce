// A family of processes whose memory and threads are looked at: one without its own, and children that fill
// some. Built without sanitizers, because theirs would be counted.
//   family CHILDREN BYTES [shared]    shared: all children have the same memory
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fork_that_ends.h"

int main(int count, char** words) {
  if (count < 3) return 2;
  ::signal(SIGCHLD, SIG_DFL);
  const int children = ::atoi(words[1]);
  const auto bytes = static_cast<size_t>(::atoll(words[2]));
  const int kind = MAP_ANONYMOUS | (count > 3 ? MAP_SHARED : MAP_PRIVATE);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory == MAP_FAILED) return 1;
  for (int child = 0; child < children; ++child) {
    if (luzia::fork_that_ends() != 0) continue;
    ::memset(memory, 1, bytes);
    break;
  }
  for (;;) ::pause();
}
