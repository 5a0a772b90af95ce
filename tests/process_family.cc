#include "tests/process_family.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/fork_that_ends.h"
#include "tests/paths.h"

namespace luzia {

ProcessFamily::ProcessFamily(std::size_t bytes, int children, Memory memory) {
  const std::string program = build_path("tests/family"), count = std::to_string(children),
                    size = std::to_string(bytes);
  ::signal(SIGCHLD, SIG_DFL);
  pid_ = fork_that_ends();
  if (pid_ != 0) return;
  ::execl(program.c_str(), "family", count.c_str(), size.c_str(),
          memory == Memory::shared ? "shared" : static_cast<char*>(nullptr), static_cast<char*>(nullptr));
  ::_exit(127);
}

void ProcessFamily::end() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace luzia
