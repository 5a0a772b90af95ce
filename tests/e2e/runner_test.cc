// luzia-run dies before its agent: the daemon sees the agent exit but cannot know how.
#include <signal.h>
#include <unistd.h>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class KilledRunnerTest : public DaemonTest {
 protected:
  /// The agent may not have read its task when its job is running: the task makes a file.
  void expect_begun(const std::string& id) {
    EXPECT_TRUE(becomes(id, "running"));
    EXPECT_TRUE(wait_until([&] { return ::access((project() + "/began").c_str(), F_OK) == 0; }));
  }

  /// The id of a running agent's job without luzia-run.
  std::string orphaned_job() {
    std::string id = dispatch("echo here; : > began; while [ ! -e go ]; do sleep 0.05; done");
    expect_begun(id);
    const auto started = events_of(id, "AttemptStarted");
    EXPECT_EQ(started.size(), 1u);
    if (started.empty()) return id;
    agent_ = started[0]["data"]["pid"].get<pid_t>();
    ::kill(started[0]["data"]["runner_pid"].get<pid_t>(), SIGKILL);
    EXPECT_TRUE(wait_until([&] { return !events_of(id, "RunnerGone").empty(); }));
    EXPECT_EQ(state(id), "running");
    EXPECT_TRUE(is_running(agent_));
    return id;
  }

  /// A job that ran and left nothing; no daemon saw it exit.
  std::string vanished_job() {
    std::string id = dispatch("echo here; : > began; while :; do sleep 0.05; done");
    expect_begun(id);
    const auto started = events_of(id, "AttemptStarted");
    EXPECT_EQ(started.size(), 1u);
    kill_daemon();
    if (!started.empty()) ::kill(started[0]["data"]["runner_pid"].get<pid_t>(), SIGKILL);
    EXPECT_TRUE(wait_until([&] {
      const auto left = processes_of(id);
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      return left.empty();
    }));
    return id;
  }

  /// A running job whose luzia-run and agent are killed; a child of the agent in its group lives on.
  std::string headless_job(const std::string& first = {}) {
    std::string id = dispatch(
        "sh -c '" + first + "echo $$ > child.new; mv child.new child; while :; do sleep 0.05; done' & wait");
    EXPECT_TRUE(becomes(id, "running"));
    EXPECT_TRUE(wait_until([&] { return ::access((project() + "/child").c_str(), F_OK) == 0; }));
    child_ = static_cast<pid_t>(std::stol(read_text(project() + "/child")));
    const auto started = events_of(id, "AttemptStarted");
    EXPECT_EQ(started.size(), 1u);
    if (started.empty()) return id;
    agent_ = started[0]["data"]["pid"].get<pid_t>();
    ::kill(started[0]["data"]["runner_pid"].get<pid_t>(), SIGKILL);
    ::kill(agent_, SIGKILL);
    EXPECT_TRUE(wait_until([&] { return !events_of(id, "RunnerGone").empty(); }));
    EXPECT_TRUE(wait_until([&] { return !is_running(agent_); }));
    EXPECT_EQ(state(id), "running");
    EXPECT_TRUE(is_running(child_));
    return id;
  }

  /// Checks that output.log ends in that exit line and has no other, and that people are not shown it.
  void expect_exit_line(const std::string& id, int code) const {
    const std::string line = "\nexit:" + std::to_string(code) + "\n", file = job_dir(id) + "/output.log";
    EXPECT_TRUE(wait_until([&] { return read_text(file).ends_with(line); })) << read_text(file);
    EXPECT_EQ(read_text(file).find("\nexit:"), read_text(file).size() - line.size());
    EXPECT_EQ(luzia({"logs", id}).out.find("exit:"), std::string::npos);
  }

  pid_t agent_ = 0, child_ = 0;
};

TEST_F(KilledRunnerTest, JobIsLostOnceItsAgentExits) {
  const std::string id = orphaned_job();
  write_text(project() + "/go", "");
  const Json row = ended_as(id, "lost", "runner_and_agent_gone");
  EXPECT_EQ(row["output"]["lines"], 1) << row;
  EXPECT_EQ(events_of(id, "RunnerGone").size(), 1u);
  expect_exit_line(id, 1);
  restart_daemon();
  expect_exit_line(id, 1);
  expect_verified();
}

TEST_F(KilledRunnerTest, CancelStillStopsTheAgent) {
  const std::string id = orphaned_job();
  EXPECT_EQ(luzia({"cancel", id, "--grace", "0"}).code, 0);
  ended(id);
  EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
}

TEST_F(KilledRunnerTest, CancelIsTheEndReason) {
  const std::string id = orphaned_job();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  ended_as(id, "killed", "cancelled");
  const auto ends = events_of(id, "JobEnded");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]["evidence"]["kind"], "inferred") << ends[0];
  EXPECT_THAT(luzia({"why", id}).out, testing::HasSubstr("no exit record says otherwise"));
  expect_exit_line(id, -9);
  expect_verified();
}

TEST_F(KilledRunnerTest, JobRunsWhileItsGroupDoes) {
  const std::string id = headless_job();
  EXPECT_EQ(luzia({"retry", id}).code, 4);
  kill_and_start_daemon();
  EXPECT_EQ(luzia({"retry", id}).code, 4);
  EXPECT_EQ(state(id), "running");
  EXPECT_EQ(events_of(id, "RunnerGone").size(), 1u);
  EXPECT_TRUE(is_running(child_));
  ::kill(child_, SIGKILL);
  ended_as(id, "lost", "runner_and_agent_gone");
  expect_verified();
}

TEST_F(KilledRunnerTest, CancelStopsTheRemainingGroup) {
  const std::string id = headless_job();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  ended_as(id, "killed", "cancelled");
  EXPECT_TRUE(processes_of(id).empty());
}

TEST_F(KilledRunnerTest, CancelKillsTheRemainingGroupAfterTheGrace) {
  const std::string id = headless_job("trap \"\" TERM; ");
  EXPECT_EQ(luzia({"cancel", id, "--grace", "200ms"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_EQ(events_of(id, "StopForced").size(), 1u);
  EXPECT_TRUE(processes_of(id).empty());
}

TEST_F(KilledRunnerTest, JobGoneWithoutADaemonIsLost) {
  const std::string id = vanished_job();
  start_daemon();
  const Json row = ended_as(id, "lost", "runner_and_agent_gone");
  EXPECT_EQ(row["output"]["lines"], 1) << row;
  expect_exit_line(id, 1);
  expect_verified();
}

TEST_F(KilledRunnerTest, NewBootIdMeansARestartedMachine) {
  const std::string id = vanished_job();
  const std::string boot = "00000000-1111-2222-3333-444444444444";
  BesideProgram daemon({kLuziad, "--store", store()}, environment(), path("luziad.out"),
                       after_a_reboot(boot));
  ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }));
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "lost") << row;
  EXPECT_EQ(row["reason"], boots_seen().back() == boot ? "machine_restarted" : "runner_and_agent_gone")
      << row;
  EXPECT_EQ(row["output"]["lines"], 1) << row;
}

}  // namespace
}  // namespace luzia
