// The memory of processes and their descendants, with real ones.
#include "adapters/launcher/resident_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"
#include "tests/process_family.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

constexpr std::size_t kBytes = 32U << 20;
constexpr std::uint64_t kKib = kBytes / 1024;

ProcessTree tree_of(const ProcessFamily& family, bool counts_root) {
  ProcessStat stat;
  EXPECT_TRUE(read_process(family.pid(), stat));
  return {family.pid(), stat.start, counts_root};
}

std::uint64_t used_by(const ProcessTree& tree) {
  return resident_kib(std::span(&tree, 1)).front();
}

TEST(ResidentMemory, CountsDescendantsAndTheRootIfAsked) {
  ProcessFamily family(kBytes);
  const ProcessTree without = tree_of(family, false), with = tree_of(family, true);
  ASSERT_TRUE(wait_until([&] { return used_by(without) >= kKib; }));
  EXPECT_LT(used_by(without), 4 * kKib);
  EXPECT_GT(used_by(with), used_by(without));
}

TEST(ResidentMemory, EachTreeHasItsOwn) {
  ProcessFamily one(kBytes), other(kBytes);
  const ProcessTree trees[] = {tree_of(one, false), {::getpid(), 1, true}, tree_of(other, false)};
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
  ProcessFamily family(kBytes);
  const ProcessTree tree = tree_of(family, true);
  TreeUse use;
  ASSERT_TRUE(wait_until([&] {
    use = use_of_trees(std::span(&tree, 1)).front();
    return use.processes.size() == 2 && use.processes[0].resident >= kKib * 1024;
  }));
  EXPECT_GE(use.processes[0].resident, kKib * 1024);
  EXPECT_LT(use.processes[1].resident, use.processes[0].resident);
  EXPECT_EQ(use.processes[0].resident + use.processes[1].resident, use.resident);
  EXPECT_EQ(use.threads, 2u);
  EXPECT_EQ(use.processes[0].name, "family");
}

TEST(ResidentMemory, PagesThatProcessesShareCountOnceForALimit) {
  const ProcessFamily family(kBytes, 4, ProcessFamily::Memory::shared);
  const ProcessTree tree = tree_of(family, true);
  TreeUse use;
  EXPECT_TRUE(wait_until([&] {
    use = use_of_trees(std::span(&tree, 1)).front();
    return use.resident > 3 * kBytes;
  })) << "each of the four has touched it";
  EXPECT_FALSE(holds_more_than(use, 2 * kBytes));
  EXPECT_TRUE(holds_more_than(use, kBytes / 2));
}

}  // namespace
}  // namespace luzia
