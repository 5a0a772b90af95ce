// A log whose end cannot be proved: it is refused with instructions, and the instructions work.
#include <signal.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using LogEndTest = DaemonTest;

TEST_F(LogEndTest, MissingWatermarkNeedsAPersonsAcceptance) {
  const std::string kept = dispatch("echo kept");
  EXPECT_EQ(ended(kept)["state"], "completed");
  stop_daemon();
  ASSERT_TRUE(std::filesystem::remove(store() + "/watermark"));

  const Finished refused = run_to_end({kLuziad, "--store", store()}, environment());
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_THAT(refused.err, testing::HasSubstr("--accept-log-end"));

  {
    BesideProgram accepting({kLuziad, "--accept-log-end", "--store", store()}, environment(),
                            path("luziad.out"));
    EXPECT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }));
    EXPECT_EQ(state(kept), "completed");
    accepting.signal(SIGTERM);
    EXPECT_EQ(accepting.end(), 0);
  }
  EXPECT_EQ(state(kept), "completed") << "the next start needs no acceptance";
  expect_verified();
}

}  // namespace
}  // namespace luzia
