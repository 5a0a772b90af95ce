// When luzia-fleet run ends.
#include "tools/luzia-fleet/ending.h"

#include <fcntl.h>

#include <csignal>

#include "tests/matchers.h"

namespace luzia::test {
namespace {

using std::chrono::milliseconds;

/// Standard input is a pipe that the test holds open, as the daemon does; signals are as before at the end.
class EndingTest : public testing::Test {
 protected:
  EndingTest() {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    pipe_.reset(ends[1]);
  }
  ~EndingTest() override {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGTERM);
    const timespec at_once{};
    ::sigtimedwait(&ours, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    ::dup2(stdin_.get(), STDIN_FILENO);
  }

  sigset_t signals_{};
  Descriptor stdin_{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
  Descriptor pipe_;
};

TEST_F(EndingTest, IsDueAfterASignal) {
  const Ending ending;
  EXPECT_FALSE(ending.is_due());
  ::raise(SIGTERM);
  EXPECT_TRUE(ending.wait(milliseconds(10'000)));
  EXPECT_TRUE(ending.is_due());
}

TEST_F(EndingTest, IsDueWhenTheDaemonHasGone) {
  const Ending ending;
  EXPECT_EQ(::write(pipe_.get(), "x", 1), 1);
  EXPECT_FALSE(ending.is_due()) << "what it writes means nothing";
  pipe_.reset();
  EXPECT_TRUE(ending.wait(milliseconds(10'000)));
}

}  // namespace
}  // namespace luzia::test
