// A writer that is killed at any moment keeps every acknowledged group and leaves no hole.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

/// Runs a writer, kills it after it acknowledged `groups` more, and returns the last position that it
/// reported.
Position run_and_kill(const std::string& store, int groups) {
  int pipes[2];
  EXPECT_EQ(pipe(pipes), 0);
  const std::string pipe_name = std::to_string(pipes[1]);
  const char* arguments[] = {LUZIA_APPEND_UNTIL_KILLED, store.c_str(), pipe_name.c_str(), nullptr};
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, arguments[0], nullptr, nullptr, const_cast<char**>(arguments), environ), 0);
  close(pipes[1]);
  Position acknowledged = 0;
  for (int i = 0; i < groups; ++i) {
    EXPECT_EQ(read(pipes[0], &acknowledged, sizeof acknowledged), static_cast<ssize_t>(sizeof acknowledged));
  }
  EXPECT_EQ(kill(child, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself, code " << WEXITSTATUS(status);
  // Acknowledgements sent before the signal arrived count as well.
  while (read(pipes[0], &acknowledged, sizeof acknowledged) == static_cast<ssize_t>(sizeof acknowledged))
    continue;
  close(pipes[0]);
  return acknowledged;
}

TEST(KilledWriter, KeepsEveryAcknowledgedGroup) {
  TempStore store;
  for (int round = 0; round < 12; ++round) {
    const Position acknowledged = run_and_kill(store.path(), 1 + round * 7);
    for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write}) {
      auto log = open_store(store.path(), mode);
      ASSERT_TRUE(log) << log.error().message;
      EXPECT_GE((*log)->tip().position, acknowledged);
      auto report = verify_chain(**log);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->events, (*log)->tip().position);
      const auto last = (*log)->read_from(acknowledged)->next();
      ASSERT_TRUE(last);
      const Position first = (*last)->first_position();
      EXPECT_EQ((*log)->blob(first, 0), "text " + std::to_string(first));
    }
  }
}

}  // namespace
}  // namespace luzia::test
