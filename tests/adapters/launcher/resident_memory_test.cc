// The memory of processes and their descendants, with real ones.
#include "adapters/launcher/resident_memory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"
#include "tests/fork_that_ends.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

constexpr std::size_t kBytes = 32U << 20;
constexpr std::uint64_t kKib = kBytes / 1024;

/// A child whose own child fills kBytes; both are killed at the end.
class HungryFamily {
 public:
  HungryFamily() {
    ::signal(SIGCHLD, SIG_DFL);
    pid_ = fork_that_ends();
    if (pid_ == 0) {
      if (fork_that_ends() == 0) {
        void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ::memset(memory, 1, kBytes);
      }
      for (;;) ::pause();
    }
  }
  ~HungryFamily() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  ProcessTree tree(bool counts_root) const {
    ProcessStat stat;
    EXPECT_TRUE(read_process(pid_, stat));
    return {pid_, stat.start, counts_root};
  }

 private:
  pid_t pid_ = -1;
};

std::uint64_t used_by(const ProcessTree& tree) {
  return resident_kib(std::span(&tree, 1)).front();
}

TEST(ResidentMemory, CountsDescendantsAndTheRootIfAsked) {
  HungryFamily family;
  const ProcessTree without = family.tree(false), with = family.tree(true);
  ASSERT_TRUE(wait_until([&] { return used_by(without) >= kKib; }));
  EXPECT_LT(used_by(without), 4 * kKib);
  EXPECT_GT(used_by(with), used_by(without));
}

TEST(ResidentMemory, EachTreeHasItsOwn) {
  HungryFamily one, other;
  const ProcessTree trees[] = {one.tree(false), {::getpid(), 1, true}, other.tree(false)};
  ASSERT_TRUE(wait_until([&] {
    const auto used = resident_kib(trees);
    return used[0] >= kKib && used[2] >= kKib;
  }));
  EXPECT_EQ(resident_kib(trees)[1], 0U) << "the pid belongs to a process that started at another time";
  one.end();
  EXPECT_TRUE(wait_until([&] { return resident_kib(trees)[0] == 0; }));
  EXPECT_GE(resident_kib(trees)[2], kKib);
  EXPECT_TRUE(resident_kib({}).empty());
}

TEST(ResidentMemory, LargestProcessesComeFirstWithNameAndSize) {
  HungryFamily family;
  const ProcessTree tree = family.tree(true);
  TreeUse use;
  ASSERT_TRUE(wait_until([&] {
    use = use_of_trees(std::span(&tree, 1)).front();
    return use.processes.size() == 2 && use.processes[0].resident >= kKib * 1024;
  }));
  EXPECT_GE(use.processes[0].resident, kKib * 1024);
  EXPECT_LT(use.processes[1].resident, use.processes[0].resident);
  EXPECT_EQ(use.processes[0].resident + use.processes[1].resident, use.resident);
  EXPECT_EQ(use.threads, 2u);
  ProcessStat self;
  ASSERT_TRUE(read_process(::getpid(), self));
  EXPECT_EQ(use.processes[0].name, self.name) << "a forked child keeps its parent's name";
}

TEST(ResidentMemory, PagesThatProcessesShareCountOnceForALimit) {
  ::signal(SIGCHLD, SIG_DFL);
  auto* memory =
      static_cast<char*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ::memset(memory, 1, kBytes);
  const pid_t family = fork_that_ends();
  if (family == 0) {
    for (int i = 0; i < 4; ++i) {
      if (fork_that_ends() != 0) continue;
      for (std::size_t at = 0; at < kBytes; at += 4096) (void)*static_cast<volatile char*>(memory + at);
      for (;;) ::pause();
    }
    for (;;) ::pause();
  }
  ::munmap(memory, kBytes);
  ProcessStat stat;
  ASSERT_TRUE(read_process(family, stat));
  const ProcessTree tree{family, stat.start, true};
  TreeUse use;
  EXPECT_TRUE(wait_until([&] {
    use = use_of_trees(std::span(&tree, 1)).front();
    return use.resident > 3 * kBytes;
  })) << "each of the four has touched it";
  EXPECT_FALSE(holds_more_than(use, 2 * kBytes));
  EXPECT_TRUE(holds_more_than(use, kBytes / 2));
  ::kill(family, SIGKILL);
  ::waitpid(family, nullptr, 0);
}

}  // namespace
}  // namespace luzia
