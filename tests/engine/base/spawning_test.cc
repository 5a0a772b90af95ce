#include "engine/base/spawning.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace luzia {
namespace {

/// Runs the script, which stops itself once, and returns how it ended. `stopped` inspects the process
/// meanwhile.
template <class Look>
int run(const std::string& script, Look stopped) {
  std::vector<std::string> words = {"/bin/sh", "-c", script}, variables = {"WORD=handed on"};
  const auto argv = exec_pointers(words), envp = exec_pointers(variables);
  pid_t pid = -1;
  const SpawnAttributes attributes;
  EXPECT_EQ(::posix_spawn(&pid, words.front().c_str(), nullptr, attributes.get(), argv.data(), envp.data()),
            0);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  EXPECT_TRUE(WIFSTOPPED(status));
  stopped(pid);
  ::kill(pid, SIGCONT);
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(SpawnAttributes, ProgramGetsItsOwnSession) {
  const std::string script = "kill -STOP $$; test \"$WORD\" = 'handed on' && exit 7";
  const int of_session = run(script, [](pid_t pid) {
    EXPECT_EQ(::getsid(pid), pid);
    EXPECT_EQ(::getpgid(pid), pid);
  });
  EXPECT_TRUE(WIFEXITED(of_session));
  EXPECT_EQ(WEXITSTATUS(of_session), 7);
}

TEST(SpawnAttributes, ChildStartsWithDefaultSignals) {
  const auto former = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  for (const int signal : {SIGPIPE, SIGTERM}) {
    const int status = run("kill -STOP $$; kill -" + std::to_string(signal) + " $$; exit 7", [](pid_t) {});
    EXPECT_TRUE(WIFSIGNALED(status)) << signal;
    EXPECT_EQ(WTERMSIG(status), signal);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGPIPE, former);
}

}  // namespace
}  // namespace luzia
