// The memory of running jobs is looked at while somebody asks, not more often than allowed.
#include "tools/luziad/queries/live_memory.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"

namespace luzia {
namespace {

constexpr TimeUs kFirstLook = 100 * kSecondUs;

TEST(LiveMemory, LooksAgainOnlyAfterAPause) {
  LiveMemory memory;
  EXPECT_TRUE(memory.is_due(kFirstLook));
  const auto look = memory.begin({});
  EXPECT_FALSE(memory.is_due(kFirstLook)) << "a look is under way";
  memory.looked(look.take(), kFirstLook);
  EXPECT_FALSE(memory.is_due(kFirstLook + LiveMemory::kEvery - 1));
  EXPECT_TRUE(memory.is_due(kFirstLook + LiveMemory::kEvery));
}

TEST(LiveMemory, TrackedJobsCountTheirOwnProcess) {
  ProcessStat self;
  ASSERT_TRUE(read_process(::getpid(), self));
  JobState tracked, attempt, starting;
  tracked.job = "a";
  tracked.tracked = true;
  tracked.pid = static_cast<std::uint32_t>(::getpid());
  tracked.pid_start = self.start;
  attempt.job = "b";
  attempt.pid = attempt.runner_pid = tracked.pid;
  attempt.runner_start = self.start;
  starting.job = "c";
  LiveMemory memory;
  const auto look = memory.begin({&tracked, &starting});
  EXPECT_THAT(look.jobs, testing::ElementsAre("a"));
  const auto found = look.take();
  ASSERT_TRUE(found->contains("a"));
  EXPECT_GT(found->at("a"), 100U);
  const auto of_runner = LiveMemory().begin({&attempt});
  EXPECT_FALSE(of_runner.take()->contains("b")) << "this test has no children, and luzia-run does not count";
}

}  // namespace
}  // namespace luzia
