// Limits and gates of the queue, with a real daemon.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using LimitsTest = DaemonTest;

constexpr const char* kUntilGo = "while [ ! -e go ]; do sleep 0.05; done";

TEST_F(LimitsTest, OneProjectsLimitLeavesRoomForAnother) {
  configure("[queue]\nmax_running = 8\nmax_per_project = 1\n");
  const std::string first = dispatch(kUntilGo);
  const std::string second = dispatch("true");
  const Finished other = luzia({"dispatch", "other", "true"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(ended(lines_of(other.out).at(0))["state"], "completed");
  EXPECT_EQ(state(second), "queued");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(second)["state"], "completed");
  EXPECT_EQ(ended(first)["state"], "completed");
}

TEST_F(LimitsTest, ATagsLimitHoldsAfterARestartToo) {
  configure("[queue]\nmax_running = 8\ntags = { gpu = 1 }\n");
  const std::string first = dispatch(kUntilGo, {"--tag", "gpu"});
  ASSERT_TRUE(becomes(first, "running"));
  const std::string second = dispatch("true", {"--tag", "gpu"});
  kill_daemon();
  start_daemon();
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  EXPECT_EQ(state(second), "queued");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(second)["state"], "completed");
}

TEST_F(LimitsTest, AGateThatIsClosedStartsNothingUntilTheConfigurationOpensIt) {
  configure("[queue]\nmin_free_memory_percent = 100\n");
  const std::string id = dispatch("true");
  ASSERT_TRUE(wait_until(
      [&] { return read_text(store() + "/luziad.log").find("nothing new starts") != std::string::npos; }));
  EXPECT_EQ(state(id), "queued");
  configure("[queue]\nmin_free_memory_percent = 0\n");
  EXPECT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

}  // namespace
}  // namespace luzia
