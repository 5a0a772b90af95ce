// The rows of a running daemon are replayed from the log while it goes on with its work.
#include <sys/stat.h>

#include <filesystem>
#include <memory>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class RebuildTest : public DaemonTest {
 protected:
  std::unique_ptr<BesideProgram> rebuild_beside() const {
    return std::make_unique<BesideProgram>(Words{kLuziaQuery, "replay", "--rebuild"}, environment(),
                                           path("rebuild"));
  }
  bool half_changed_over() const {
    return fs::exists(store() + "/views.new") || fs::exists(store() + "/views.old");
  }
};

TEST_F(RebuildTest, RowsServeAndJobsRunWhileItGoesOn) {
  const std::string failed = dispatch("exit 3");
  ended(failed);
  const std::string running = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(running, "running"));
  const pid_t daemon = daemon_pid();
  const Json before = job(running);
  const auto rebuild = rebuild_beside();
  // Clients come all the while, and each would start a daemon if it could.
  while (is_running(rebuild->pid())) {
    EXPECT_EQ(job(failed)["exit_code"], 3);
    EXPECT_EQ(job(running)["pid"], before["pid"]);
  }
  EXPECT_EQ(rebuild->end(), 0) << rebuild->output();
  EXPECT_EQ(daemon_pid(), daemon);
  EXPECT_FALSE(half_changed_over());
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(running)["state"], "completed");
  EXPECT_EQ(job(running)["attempts"], 1);
  expect_verified();
}

TEST_F(RebuildTest, OneAtATime) {
  for (int i = 0; i < 20; ++i) dispatch("true");
  const auto first = rebuild_beside();
  const Finished second = query({"replay", "--rebuild"});
  EXPECT_TRUE(second.code == 0 || error_lines(second.err) == 1) << second.err;
  EXPECT_LE(first->end(), 5) << first->output();
  expect_verified();
}

TEST_F(RebuildTest, KilledWhereTheRowsChangePlacesTheStoreIsWhole) {
  const std::string id = dispatch("exit 3");
  ended(id);
  for (const char* point : {"views.made", "views.aside", "views.taken"}) {
    stop_daemon();
    const auto [started, failing] = start_daemon_that_ends_at(std::string(point) + "@1");
    ASSERT_EQ(started.code, 0) << started.err;
    EXPECT_EQ(query({"replay", "--rebuild"}).code, 5) << point;
    EXPECT_TRUE(wait_until([pid = failing] { return !is_running(pid); })) << point << " was not passed";
    EXPECT_TRUE(half_changed_over()) << point;
    EXPECT_EQ(job(id)["exit_code"], 3);
    EXPECT_FALSE(half_changed_over()) << point;
    expect_verified();
  }
}

}  // namespace
}  // namespace luzia
