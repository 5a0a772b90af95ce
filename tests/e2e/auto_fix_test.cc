// Fixes of known issues that run automatically: they need permission, the retry shows whether they helped,
// they are limited in number, and each is ordered once.
#include <sys/syscall.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"
#include "tests/failing_calls/failing_calls.h"

namespace luzia {
namespace {

class AutoFixTest : public DaemonTest {
 protected:
  /// Adds one pattern with `command` as its fix.
  void know(const std::string& command) const {
    std::ofstream(path("known.json"))
        << R"({"patterns": [{"name": "missing-part", "error_patterns": ["missing part"], "fix": "make it",)"
        << R"("auto_fixable": true, "fix_command": )" << Json(command) << "}]}";
  }
  void allow(bool allowed) {
    configure("[issues]\nfiles = [\"" + path("known.json") +
              "\"]\nallow_auto_fix = " + (allowed ? "true" : "false") + "\n");
  }
  std::string dispatch_needing_part() { return dispatch("[ -e part ] || { echo missing part; exit 1; }"); }
};

TEST_F(AutoFixTest, AllowedFixRunsAsItsOwnJob) {
  know("touch part");
  allow(true);
  const std::string id = dispatch_needing_part();
  ASSERT_TRUE(wait_until([&] { return state(id) == "completed"; })) << luzia({"why", id}).out;
  const auto started = events_of(id, "FixStarted");
  ASSERT_EQ(started.size(), 1u);
  const Json fix = job(started[0]["data"]["job"]);
  EXPECT_EQ(fix["parent_job"], id);
  EXPECT_EQ(fix["state"], "completed");
  EXPECT_EQ(fix["task"], "touch part");
  const auto ended = events_of(id, "FixEnded");
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]["data"]["fixed"], true);
  EXPECT_EQ(job(id)["attempts"], 2);
  const Json issue = luzia_json({"issues", id})["issues"][0];
  EXPECT_EQ(issue["state"], "fixed");
  expect_verified();
}

TEST_F(AutoFixTest, DisallowedFixDoesNotRun) {
  know("touch part");
  allow(false);
  const std::string id = dispatch_needing_part();
  EXPECT_EQ(ended(id)["state"], "failed");
  // Once a later job is through, any further effect would have happened.
  ended(dispatch("true"));
  EXPECT_TRUE(events_of(id, "FixStarted").empty());
  EXPECT_EQ(job(id)["attempts"], 1);
}

TEST_F(AutoFixTest, FixThatFailsTwiceIsNotRepeated) {
  know("true");
  allow(true);
  const std::string id = dispatch_needing_part();
  ASSERT_TRUE(wait_until([&] { return events_of(id, "FixEnded").size() == 2; }));
  ASSERT_TRUE(wait_until([&] { return state(id) == "failed"; }));
  ended(dispatch("true"));
  EXPECT_EQ(events_of(id, "FixStarted").size(), 2u);
  EXPECT_EQ(job(id)["attempts"], 3);
  EXPECT_EQ(luzia_json({"issues", id})["issues"][0]["state"], "unfixed");
  // Nor for another job of the project.
  const std::string other = dispatch_needing_part();
  EXPECT_EQ(ended(other)["state"], "failed");
  ended(dispatch("true"));
  EXPECT_TRUE(events_of(other, "FixStarted").empty());
  expect_verified();
}

TEST_F(AutoFixTest, FixesThatCauseEachOtherEnd) {
  std::ofstream(path("known.json"))
      << R"({"patterns": [{"name": "flag-there", "error_patterns": ["flag there"], "fix": "f",)"
      << R"("auto_fixable": true, "fix_command": "rm -f flag"}, {"name": "flag-missing",)"
      << R"("error_patterns": ["flag missing"], "fix": "f", "auto_fixable": true, "fix_command": "touch flag"}]})";
  allow(true);
  const std::string id = dispatch("[ -e flag ] && echo flag there || echo flag missing; exit 3");
  ASSERT_TRUE(wait_until([&] { return events_of(id, "FixEnded").size() == 4; }));
  ASSERT_TRUE(wait_until([&] { return state(id) == "failed"; }));
  ended(dispatch("true"));
  EXPECT_EQ(events_of(id, "FixStarted").size(), 4u);
  EXPECT_EQ(job(id)["attempts"], 5);
}

TEST_F(AutoFixTest, FixRunsOnceAcrossAKilledDaemon) {
  know("sleep 0.2; touch part");
  allow(true);
  const std::string id = dispatch("[ -e part ] || { echo missing part; sleep 0.1; exit 1; }");
  for (int round = 0; round < 4; ++round) {
    const std::uint64_t before = position();
    ASSERT_TRUE(wait_until([&] { return position() > before || state(id) == "completed"; }));
    kill_and_start_daemon();
  }
  ASSERT_TRUE(wait_until([&] { return state(id) == "completed"; })) << luzia({"why", id}).out;
  EXPECT_EQ(events_of(id, "FixStarted").size(), 1u);
  expect_verified();
}

TEST_F(AutoFixTest, FixWaitsForItsDirectoryToRespond) {
  std::atomic<bool> silent{false};
  FailingCalls calls(path("calls"), {SYS_newfstatat}, [&](const AskedCall& call) {
    const bool looks = call.program() == "luziad" && call.text(1) == project();
    return silent && looks ? FailingCalls::kHold : FailingCalls::kGoOn;
  });
  know("touch part");
  allow(true);
  const BesideProgram daemon(calls.filtered({kLuziad, "--store", store()}), environment(),
                             path("luziad.out"));
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(store() + "/socket"); }));
  const std::string id =
      dispatch("[ -e part ] || { while [ ! -e go ]; do sleep 0.05; done; echo missing part; exit 1; }");
  ASSERT_TRUE(becomes(id, "running"));
  silent = true;
  std::ofstream(project() + "/go").close();
  EXPECT_TRUE(wait_until([&] {
    const std::string words = "job " + id + ": its fix cannot be submitted yet";
    return read_text(store() + "/luziad.log").find(words) != std::string::npos;
  }));
  EXPECT_EQ(state(id), "failed");
  silent = false;
  ASSERT_TRUE(wait_until([&] { return state(id) == "completed"; })) << luzia({"why", id}).out;
  EXPECT_EQ(events_of(id, "FixStarted").size(), 1u);
  expect_verified();
}

}  // namespace
}  // namespace luzia
