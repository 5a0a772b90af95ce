// Draining a real daemon, and daily budgets with an agent that reports its usage.

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class DrainTest : public DaemonTest {
 protected:
  /// A job that runs until the project has a file `go`.
  std::string long_job() const { return dispatch("until [ -e go ]; do sleep 0.05; done; echo done"); }
  void let_go() const { script("go", ""); }
};

TEST_F(DrainTest, RunningJobsEndAndNewJobsWait) {
  const std::string running = long_job();
  ASSERT_TRUE(becomes(running, "running"));
  const Finished drained = luzia({"daemon", "drain"});
  EXPECT_EQ(drained.code, 0);
  EXPECT_THAT(drained.err, HasSubstr("draining; 1 job still runs: " + running + " (demo)\n"));
  const std::string waiting = dispatch("true");
  ASSERT_FALSE(waiting.empty());
  EXPECT_EQ(job(waiting)["waiting"]["for"], "drain");
  EXPECT_THAT(luzia({"why", waiting}).out + luzia({"why", waiting}).err, HasSubstr("draining"));
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("queue draining since"));
  EXPECT_EQ(luzia_json({"status"})["paused"][0]["draining"], true);
  EXPECT_THAT(luzia({"daemon", "status"}).out,
              HasSubstr("draining: nothing starts; 1 job still runs: " + running + " (demo)"));
  kill_and_start_daemon();
  EXPECT_EQ(job(waiting)["waiting"]["for"], "drain");
  let_go();
  EXPECT_EQ(ended(running)["state"], "completed");
  EXPECT_EQ(state(waiting), "queued");
  EXPECT_THAT(luzia({"daemon", "drain", "--off"}).err, HasSubstr("the drain is over"));
  EXPECT_THAT(luzia({"daemon", "drain", "--off"}).err, HasSubstr("nothing was draining"));
  EXPECT_EQ(ended(waiting)["state"], "completed");
  expect_verified();
}

TEST_F(DrainTest, DrainingStopWaitsForRunningJobs) {
  const std::string running = long_job();
  ASSERT_TRUE(becomes(running, "running"));
  BesideProgram stop({kLuzia, "daemon", "stop", "--drain"}, environment(), path("stopped"));
  EXPECT_TRUE(wait_until([&] {
    return stop.output().find("1 job still runs: " + running + " (demo)\n") != std::string::npos;
  })) << stop.output();
  let_go();
  EXPECT_EQ(stop.end(), 0);
  EXPECT_THAT(stop.output(), HasSubstr("stopped; no job runs"));
  EXPECT_EQ(luzia({"daemon", "status"}).code, 1);
  start_daemon();
  EXPECT_EQ(state(running), "completed");
  EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
}

TEST_F(DrainTest, OptionsOfOtherVerbsAreRefused) {
  EXPECT_EQ(luzia({"daemon", "stop", "--off"}).code, 2);
  EXPECT_EQ(luzia({"daemon", "drain", "--drain"}).code, 2);
}

class DayBudgetTest : public DaemonTest {
 protected:
  void spending_agent(double cost) {
    script("agent",
           "cat > /dev/null\n"
           "echo "
           "'{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-'$LUZIA_JOB_ID'\",\"model\":"
           "\"big\"}'\n"
           "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\","
           "\"session_id\":\"s-'$LUZIA_JOB_ID'\",\"num_turns\":1,\"total_cost_usd\":" +
               std::to_string(cost) + ",\"usage\":{\"input_tokens\":10,\"output_tokens\":90}}'\n");
  }
  void configure_budget(const std::string& more) {
    configure(
        "[agents.spender]\ncommand = [\"./agent\"]\nstdin = \"prompt\"\noutput = \"claude-stream-json\"\n" +
        more);
  }
  std::string run() { return dispatch("do it", {"--agent", "spender"}); }
};

TEST_F(DayBudgetTest, ExhaustedBudgetDelaysJobsUntilAPersonAllows) {
  spending_agent(3);
  configure_budget("[budgets]\ncost_per_day = 5\n");
  ended(run());
  ended(run());
  const std::string late = run();
  EXPECT_EQ(job(late)["waiting"]["for"], "project_budget");
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("its budget of cost for this day is used up"));
  const Json spending = query_json({"cost"})["budgets"];
  ASSERT_EQ(spending.size(), 2U);
  EXPECT_TRUE(query_json({"cost", "--agent", "spender"})["budgets"].empty()) << "they cover all agents";
  EXPECT_TRUE(spending[0]["project"].is_null());
  EXPECT_EQ(spending[0]["cost_usd"], 6.0);
  EXPECT_EQ(spending[0]["cost_budget_usd"], 5.0);
  EXPECT_EQ(spending[0]["stopped"], true);
  EXPECT_EQ(spending[1]["project"], "demo");
  kill_and_start_daemon();
  EXPECT_EQ(job(late)["waiting"]["for"], "project_budget");
  EXPECT_EQ(luzia({"resume", "--project", "demo", "--budget"}).code, 4);
  EXPECT_EQ(luzia({"resume", "--all", "--budget", "--note", "urgent"}).code, 0);
  EXPECT_EQ(ended(late)["state"], "completed");
  EXPECT_EQ(events({"--json"}).empty(), false);
  expect_verified();
}

TEST_F(DayBudgetTest, RunningJobsStopWithTheTimeBudget) {
  configure("[budgets]\ntime_per_day = \"1s\"\nstop_running = true\n");
  const std::string id = dispatch("while :; do echo busy; sleep 0.1; done");
  EXPECT_EQ(ended(id)["reason"], "policy");
  const Json spending = query_json({"cost"})["budgets"];
  ASSERT_FALSE(spending.empty());
  EXPECT_GE(spending[0]["time_seconds"], 1.0);
  EXPECT_EQ(spending[0]["stopped"], true);
}

TEST_F(DayBudgetTest, ProjectBudgetCountsItsJobsTime) {
  script("agent", "cat > /dev/null\nsleep 0.2\n");
  configure_budget("[queue]\nmax_running = 2\n");
  configure(R"([agents.spender]
command = ["./agent"]
stdin = "prompt"
[budgets]
time_per_day = "100ms"
)");
  ended(run());
  EXPECT_EQ(job(run())["waiting"]["for"], "project_budget");
}

}  // namespace
}  // namespace luzia
