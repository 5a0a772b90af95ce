// How a program meets its streams.
#include "tools/cli/surroundings.h"

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "tests/fork_that_ends.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

TEST(Surroundings, OutputToAFileIsWrittenInLargePieces) {
  const ScratchFolder folder;
  const std::string file = folder.file("out");
  constexpr std::size_t kPrinted = 40'000;
  const pid_t child = fork_that_ends();
  if (child == 0) {
    if (std::freopen(file.c_str(), "w", stdout) == nullptr) ::_exit(2);
    process_surroundings({"luzia"});
    std::fputs(std::string(kPrinted, 'x').c_str(), stdout);
    const bool is_held = std::filesystem::file_size(file) == 0;
    ::_exit(is_held && std::fflush(stdout) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::filesystem::file_size(file), kPrinted);
}

}  // namespace
}  // namespace luzia
