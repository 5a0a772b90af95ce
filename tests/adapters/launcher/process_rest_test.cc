// Detects whether processes did nothing but sleep between two looks.
#include "adapters/launcher/process_rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

/// A child process with one child of its own. It does `work` for each byte that it receives and replies with
/// one byte.
class Family {
 public:
  explicit Family(const std::function<void()>& work) {
    EXPECT_EQ(::pipe(ask_), 0);
    EXPECT_EQ(::pipe(answer_), 0);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::fork() != 0) {
      for (;;) ::pause();
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    char byte = 0;
    while (::read(ask_[0], &byte, 1) == 1) {
      work();
      if (::write(answer_[1], &byte, 1) != 1) break;
    }
    ::_exit(0);
  }
  ~Family() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    for (const int fd : {ask_[0], ask_[1], answer_[0], answer_[1]}) ::close(fd);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  void begin_work() {
    const char byte = 'x';
    ASSERT_EQ(::write(ask_[1], &byte, 1), 1);
  }
  void works() {
    begin_work();
    char byte = 0;
    ASSERT_EQ(::read(answer_[0], &byte, 1), 1);
  }
  ProcessId id() const {
    const auto pid = static_cast<std::uint32_t>(pid_);
    return {pid, process_start_time(pid).value_or(0)};
  }
  RestMark mark() const {
    const ProcessId root = id();
    return rest_marks(std::span(&root, 1)).front();
  }
  /// The mark, once the process sleeps.
  RestMark mark_of_rest() const {
    RestMark mark;
    EXPECT_TRUE(wait_until([&] {
      mark = this->mark();
      return !mark.empty() && mark == this->mark();
    }));
    return mark;
  }

 private:
  int ask_[2], answer_[2];
  pid_t pid_ = -1;
};

TEST(ProcessRest, SleepingProcessesRest) {
  const Family family([] {});
  const RestMark first = family.mark_of_rest();
  EXPECT_TRUE(have_rested(first, family.mark(), family.mark()));
}

TEST(ProcessRest, AnyActivityIsNoRest) {
  Family family([] {});
  const RestMark first = family.mark_of_rest();
  family.works();
  const RestMark then = family.mark_of_rest();
  EXPECT_FALSE(have_rested(first, then, then));
}

TEST(ProcessRest, ExitedChildrenCountAsActivity) {
  Family family([] {
    if (::fork() == 0) ::_exit(0);
    ::wait(nullptr);
  });
  const RestMark first = family.mark_of_rest();
  family.works();
  const RestMark then = family.mark_of_rest();
  EXPECT_FALSE(have_rested(first, then, then));
}

TEST(ProcessRest, OtherThreadsCountAsActivity) {
  Family family([] { std::thread([] { ::pause(); }).detach(); });
  const RestMark first = family.mark_of_rest();
  family.works();
  const RestMark then = family.mark_of_rest();
  EXPECT_GT(then.size(), first.size());
  EXPECT_FALSE(have_rested(first, then, then));
}

TEST(ProcessRest, RunningProcessHasNoMark) {
  Family family([] {
    for (;;) {
    }
  });
  ASSERT_FALSE(family.mark_of_rest().empty());
  family.begin_work();
  // It may still look asleep between being woken and running for the first time.
  EXPECT_TRUE(wait_until([&] { return family.mark().empty(); }));
  EXPECT_TRUE(family.mark().empty());
}

TEST(ProcessRest, MissingProcessHasNoMark) {
  const Family family([] {});
  ASSERT_FALSE(family.mark_of_rest().empty());
  const ProcessId another{family.id().pid, family.id().start + 1};
  EXPECT_TRUE(rest_marks(std::span(&another, 1)).front().empty()) << "a reused pid";
  EXPECT_TRUE(rest_marks(std::vector<ProcessId>(1)).front().empty());
}

TEST(ProcessRest, OneLookCoversSeveralProcesses) {
  Family busy([] {}), idle([] {});
  const std::vector<ProcessId> roots = {busy.id(), idle.id()};
  const std::vector<RestMark> before = {busy.mark_of_rest(), idle.mark_of_rest()};
  busy.works();
  busy.mark_of_rest();
  const auto after = rest_marks(roots);
  EXPECT_FALSE(have_rested(before[0], after[0], after[0]));
  EXPECT_TRUE(have_rested(before[1], after[1], after[1]));
}

}  // namespace
}  // namespace luzia
