#include "adapters/launcher/process_table.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "adapters/launcher/launcher.h"

namespace luzia {
namespace {

// A child that waits to be killed; reaped at the end of the scope.
class Child {
 public:
  explicit Child(const char* name = nullptr) {
    ::signal(SIGCHLD, SIG_DFL);
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      if (name != nullptr) ::prctl(PR_SET_NAME, name);
      ::close(ready[0]);
      ::close(ready[1]);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 0);  // the child has set its name
    ::close(ready[0]);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST(ReadProcess, NameMayContainParenthesesAndBlanks) {
  const Child child("x) R 1 1 (");
  ProcessStat stat;
  ASSERT_TRUE(read_process(child.pid(), stat));
  EXPECT_EQ(stat.pid, child.pid());
  EXPECT_EQ(stat.parent, ::getpid());
  EXPECT_EQ(stat.group, ::getpgrp());
  EXPECT_EQ(stat.session, ::getsid(0));
  EXPECT_GT(stat.start, 0u);
}

TEST(ReadProcess, ZombieIsNotAlive) {
  const Child child;
  const auto pid = static_cast<std::uint32_t>(child.pid());
  const auto start = process_start_time(pid);
  ASSERT_TRUE(start);
  EXPECT_TRUE(is_alive({pid, *start}));
  ::kill(child.pid(), SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process_start_time(pid), std::nullopt);
  EXPECT_FALSE(is_alive({pid, *start}));
  EXPECT_EQ(signal_process(child.pid(), *start, 0), ESRCH);
}

TEST(ReadProcess, MissingProcessIsNotAlive) {
  ProcessStat stat;
  EXPECT_FALSE(read_process(0x7FFFFFFF, stat));
  EXPECT_FALSE(is_alive({}));
  EXPECT_EQ(process_start_time(0), std::nullopt);
}

TEST(SignalProcess, DifferentStartTimeMeansAnotherProcess) {
  const Child child;
  ProcessStat stat;
  ASSERT_TRUE(read_process(child.pid(), stat));
  EXPECT_EQ(signal_process(child.pid(), stat.start + 1, SIGKILL), ESRCH);
  EXPECT_EQ(signal_group(child.pid(), stat.start + 1, SIGKILL), ESRCH);
  EXPECT_EQ(signal_process(child.pid(), stat.start, 0), 0);
}

TEST(SignalProcess, NeverSignalsInitOrAGroup) {
  ProcessStat init;
  ASSERT_TRUE(read_process(1, init));
  EXPECT_EQ(signal_process(1, init.start, 0), ESRCH);
  EXPECT_EQ(signal_process(0, 0, 0), ESRCH);
  EXPECT_EQ(signal_process(-1, 0, 0), ESRCH);
  EXPECT_EQ(signal_group(0, 0, 0), ESRCH);
}

TEST(ProcessTable, SelectsDescendantsOnly) {
  const Child child;
  ProcessTable table;
  ASSERT_TRUE(table.scan());
  ASSERT_NE(table.find(child.pid()), nullptr);
  table.select_descendants(::getpid());
  EXPECT_TRUE(table.find(child.pid())->selected);
  EXPECT_FALSE(table.find(::getpid())->selected);
  EXPECT_FALSE(table.find(::getppid()) != nullptr && table.find(::getppid())->selected);
  EXPECT_EQ(table.find(0x7FFFFFFF), nullptr);
}

}  // namespace
}  // namespace luzia
