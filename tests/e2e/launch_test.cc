// The moments around an agent's start: what a daemon that stops then, or cannot look, makes of
// it.
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

using LaunchTest = DaemonTest;

TEST_F(LaunchTest, DaemonThatStopsDuringALaunchEndsInGoodOrder) {
  configure("[projects.checked]\npath = \"" + project() +
            "\"\npreflight = [\"touch checking; while [ ! -e pass ]; do sleep 0.05; done\"]\n");
  BesideProgram daemon({LUZIAD_PROGRAM, "--store", store()}, environment(), path("daemon.out"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); }));
  const Finished sent = luzia({"dispatch", "checked", "echo ran"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/checking"); }));
  daemon.signal(SIGTERM);
  // It takes nobody any more while the launch is still under way.
  ASSERT_TRUE(wait_until([&] { return !fs::exists(store() + "/socket"); }));
  write_text(project() + "/pass", "");
  EXPECT_EQ(daemon.end(), 0) << daemon.output();
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "AttemptStarted").size(), 1u);
  expect_verified();
}

/// While it lives, the process can open nothing.
class NoDescriptors {
 public:
  explicit NoDescriptors(pid_t pid) : pid_(pid) {
    EXPECT_EQ(prlimit(pid_, RLIMIT_NOFILE, nullptr, &before_), 0);
    const rlimit none{3, before_.rlim_max};
    EXPECT_EQ(prlimit(pid_, RLIMIT_NOFILE, &none, nullptr), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  pid_t pid_;
  rlimit before_{};
};

TEST_F(LaunchTest, EndThatCannotBeReadForWantOfDescriptorsIsReadLater) {
  const std::string id = dispatch("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 12");
  ASSERT_TRUE(becomes(id, "running"));
  {
    const NoDescriptors limited(daemon_pid());
    write_text(project() + "/go", "");
    EXPECT_TRUE(wait_until([&] {
      return read_text(store() + "/luziad.log").find("looking again until it works") != std::string::npos;
    }));
  }
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_EQ(row["exit_code"], 12) << row;
  EXPECT_EQ(row["output"]["lines"], 2) << row;
  expect_verified();
}

TEST_F(LaunchTest, AgentThatCannotBeWatchedForWantOfDescriptorsIsNotLost) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const auto runner = events_of(id, "AttemptStarted").at(0)["data"]["runner_pid"].get<pid_t>();
  {
    const NoDescriptors limited(daemon_pid());
    ::kill(runner, SIGKILL);
    EXPECT_TRUE(wait_until([&] {
      return read_text(store() + "/luziad.log").find("looking again until it works") != std::string::npos;
    }));
  }
  EXPECT_TRUE(wait_until([&] { return !events_of(id, "RunnerGone").empty(); }));
  EXPECT_EQ(state(id), "running");
  write_text(project() + "/go", "");
  ended(id);
}

TEST_F(LaunchTest, RunnerThatDiesRightAfterTheChecksDoesNotLoseItsAgent) {
  configure("[projects.checked]\npath = \"" + project() + "\"\npreflight = [\"sleep 0.1\"]\n");
  // The agent itself takes its luzia-run away, long before the daemon looks at the claim again.
  const Finished sent =
      luzia({"dispatch", "checked", "kill -9 $PPID; while [ ! -e go ]; do sleep 0.05; done"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  EXPECT_TRUE(wait_until([&] { return !events_of(id, "RunnerGone").empty(); }));
  EXPECT_EQ(state(id), "running");
  EXPECT_EQ(events_of(id, "AttemptStarted").size(), 1u);
  write_text(project() + "/go", "");
  ended(id);
}

TEST_F(LaunchTest, DamagedExitRecordIsKept) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const auto started = events_of(id, "AttemptStarted").at(0)["data"];
  stop_daemon();
  write_text(project() + "/go", "");
  const pid_t runner = started["runner_pid"].get<pid_t>();
  ASSERT_TRUE(wait_until([&] { return !is_running(runner); }));
  const std::string record = store() + "/run/" + id + ".1.exit";
  ASSERT_TRUE(fs::exists(record));
  fs::resize_file(record, 100);
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "lost");
  EXPECT_TRUE(fs::exists(record + ".damaged"));
}

}  // namespace
}  // namespace luzia
