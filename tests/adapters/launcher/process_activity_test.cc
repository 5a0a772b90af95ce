// What people are told about an attempt's processes.
#include "adapters/launcher/process_activity.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/adapters/launcher/attempt_fixture.h"
#include "tests/fork_that_ends.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

/// Runs `body` in a child process, which is killed and reaped at the end.
template <class Body, class Check>
void beside_child(Body body, Check check) {
  const pid_t pid = fork_that_ends();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  check(pid);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST(ProcessActivity, SleepingChildIsNamedAsAsleep) {
  beside_child(
      [] {
        ::prctl(PR_SET_NAME, "dozer");
        for (;;) ::pause();
      },
      [](pid_t) {
        EXPECT_TRUE(wait_until([] {
          const ProcessActivity seen = process_activity(::getpid());
          return seen.asleep == 1 && seen.newest == "dozer";
        }));
        const ProcessActivity seen = process_activity(::getpid());
        EXPECT_EQ(seen.processes, 1u);
        EXPECT_EQ(seen.asleep, 1u);
        EXPECT_THAT(seen.text(), StartsWith("its process sleeps (dozer"));
      });
}

TEST(ProcessActivity, BusyGrandchildCountsWithItsTime) {
  beside_child(
      [] {
        if (fork_that_ends() == 0) {
          const pid_t parent = ::getppid();
          while (::getppid() == parent) {
          }
        }
        for (;;) ::pause();
      },
      [](pid_t child) {
        EXPECT_TRUE(wait_until([] {
          const ProcessActivity seen = process_activity(::getpid());
          return seen.processes == 2 && seen.cpu > 0;
        }));
        const ProcessActivity seen = process_activity(::getpid());
        EXPECT_EQ(seen.processes, 2u);
        EXPECT_LT(seen.asleep, 2u);
        EXPECT_GT(seen.cpu, 0);
        EXPECT_THAT(seen.text(), HasSubstr("of CPU so far"));
        EXPECT_EQ(process_activity(child).processes, 1u);
      });
}

TEST(ProcessActivity, WithoutProcessesItIsEmpty) {
  EXPECT_EQ(process_activity(::getpid()).text(), "");
}

}  // namespace
}  // namespace luzia
