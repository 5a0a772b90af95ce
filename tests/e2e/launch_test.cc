// The moments around an agent's start: what a daemon that stops then leaves behind.
#include <signal.h>

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

}  // namespace
}  // namespace luzia
