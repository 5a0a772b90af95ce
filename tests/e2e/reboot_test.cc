// The machine stops at once and restarts: no process is left and the boot id differs. Each job ends as its
// records say, or starts if it had not; none runs twice.
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class RebootTest : public DaemonTest {
 protected:
  void SetUp() override {
    configure("[projects.checked]\npath = \"" + project() +
              "\"\npreflight = [\": > checking; while [ ! -e pass ]; do sleep 0.05; done\"]\n");
  }

  void reboot() {
    halt_machine();
    daemon_.reset();
    const std::string boot = "00000000-1111-2222-3333-44444444444" + std::to_string(++boots_);
    daemon_.emplace(Words{kLuziad, "--store", store()}, environment(), path("luziad.out"),
                    after_a_reboot(boot));
    ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }))
        << daemon_->output();
    is_noticed_ = boots_seen().back() == boot;
  }
  /// The end reason of a job whose processes died with the machine.
  std::string gone() const { return is_noticed_ ? "machine_restarted" : "runner_and_agent_gone"; }

  std::string dispatch_to(const std::string& project, const std::string& task) const {
    const Finished sent = luzia({"dispatch", project, task, "-q"});
    EXPECT_EQ(sent.code, 0) << sent.err;
    return sent.code == 0 ? lines_of(sent.out).at(0) : std::string();
  }
  std::size_t runs(const std::string& id) const {
    std::size_t count = 0;
    for (const std::string& line : lines_of(read_text(project() + "/runs"))) count += line == id ? 1 : 0;
    return count;
  }

 private:
  int boots_ = 0;
  bool is_noticed_ = false;
  std::optional<BesideProgram> daemon_;
};

constexpr const char* kNotes = "echo $LUZIA_JOB_ID >> runs; ";

TEST_F(RebootTest, JobsFollowTheirRecordsAndRunOnce) {
  const std::string running = dispatch(std::string(kNotes) + "echo one; while :; do sleep 0.05; done");
  const std::string ending =
      dispatch(std::string(kNotes) + "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 7");
  const std::string checked = dispatch_to("checked", std::string(kNotes) + ":");
  const std::string after_lost = dispatch(std::string(kNotes) + ":", {"--after", running});
  ASSERT_TRUE(becomes(running, "running"));
  ASSERT_TRUE(becomes(ending, "running"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/checking") && runs(ending) == 1; }));
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string queued = dispatch(std::string(kNotes) + ":");
  kill_daemon();
  // Its exit is recorded, but no daemon has read it.
  write_text(project() + "/go", "");
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/run/" + ending + ".1.exit"); }));
  reboot();

  const Json lost = ended(running);
  EXPECT_EQ(lost["state"], "lost") << lost;
  EXPECT_EQ(lost["reason"], gone()) << lost;
  EXPECT_EQ(lost["output"]["lines"], 1) << lost;
  const Json known = ended(ending);
  EXPECT_EQ(known["exit_code"], 7) << known;
  EXPECT_EQ(known["output"]["lines"], 2) << known;
  const Json never = ended(checked);
  EXPECT_NE(never["state"], "completed") << never;
  EXPECT_EQ(runs(checked), 0u);
  EXPECT_EQ(ended(after_lost)["reason"], "dependency_failed");
  EXPECT_EQ(state(queued), "queued") << "the pause outlives the machine's restart";
  const auto settled = position();
  reboot();
  EXPECT_LE(position(), settled + 3) << "settled jobs get no further events: only daemon stopped and started";

  EXPECT_EQ(luzia({"resume", "--all"}).code, 0);
  EXPECT_EQ(ended(queued)["state"], "completed");
  EXPECT_EQ(luzia({"retry", running}).code, 0);
  ASSERT_TRUE(wait_until([&] { return runs(running) == 2; }));
  EXPECT_EQ(luzia({"cancel", running, "--grace", "0"}).code, 0);
  ended(running);
  EXPECT_EQ(runs(queued), 1u);
  EXPECT_EQ(runs(ending), 1u);
  EXPECT_EQ(runs(after_lost), 0u);
  expect_verified();
}

TEST_F(RebootTest, ReusedPidIsNotTakenForTheAgent) {
  const std::string id = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  kill_daemon();
  // After the reboot the pids belong to other processes: here to one of the test.
  const std::string file = store() + "/run/" + id + ".1";
  halt_machine();
  const BesideProgram bystander({"/bin/sleep", "1000"}, environment(), path("bystander.out"));
  std::string claim = read_text(file);
  char number[16];
  std::snprintf(number, sizeof number, "%010d", bystander.pid());
  for (const char* who : {"runner=", "agent="})
    claim.replace(claim.find(who) + std::string(who).size(), 10, number);
  write_text(file, claim);
  BesideProgram daemon({kLuziad, "--store", store()}, environment(), path("luziad.out"));
  ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }));
  luzia({"cancel", id, "--grace", "0"});
  EXPECT_NE(ended(id)["state"], "completed");
  EXPECT_TRUE(is_running(bystander.pid()));
}

TEST_F(RebootTest, TrackedProcessIsGoneAndTrackedLogIsReadOn) {
  const std::string log = path("app.log");
  write_text(log, "::error::before\n");
  const BesideProgram process({"/bin/sleep", "600"}, environment(), path("out"));
  const auto track = [&](const Words& what) {
    Words words = {"track", "--project", "demo", "-q"};
    words.insert(words.end(), what.begin(), what.end());
    const Finished done = luzia(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.code == 0 ? lines_of(done.out).at(0) : std::string();
  };
  const std::string of_process = track({std::to_string(process.pid())});
  const std::string of_log = track({"--log", log});
  reboot();
  EXPECT_EQ(ended(of_process)["reason"], "process_gone");
  EXPECT_EQ(state(of_log), "running");
  std::ofstream(log, std::ios::app) << "::error::after\n";
  ASSERT_TRUE(wait_until([&] { return events_of(of_log, "AnnotationFound").size() == 1; }));
  EXPECT_EQ(events_of(of_log, "AnnotationFound")[0]["data"]["message"], "after");
}

}  // namespace
}  // namespace luzia
