// append_until_killed STORE FD: appends groups with a text each, without end, and writes every acknowledged
// position to the pipe FD. kill_test.cc kills it. It is a separate process because RocksDB's threads do not
// survive a fork.
#include <unistd.h>

#include <cstdlib>

#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"

int main(int argc, char** argv) {
  using namespace luzia;
  if (argc != 3) return 2;
  const int pipe = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  auto log = test::open_store(argv[1]);
  if (!log) return 3;
  for (std::uint32_t size = 1;; size = size % 9 + 1) {
    const Position first = (*log)->tip().position + 1;
    const Blob text{0, "salt", "text " + std::to_string(first)};
    const auto group = test::group_with_texts(first, size, {{first, {text}}});
    if (!(*log)->append(group)) return 4;
    const Position acknowledged = (*log)->tip().position;
    if (write(pipe, &acknowledged, sizeof acknowledged) != sizeof acknowledged) return 5;
  }
}
