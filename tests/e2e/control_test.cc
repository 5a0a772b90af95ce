// Stopping, retrying, prioritizing and holding jobs.
#include <unistd.h>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class ControlTest : public DaemonTest {
 protected:
  bool appears(const std::string& name) const {
    return wait_until([&] { return ::access((project() + "/" + name).c_str(), F_OK) == 0; });
  }
};

TEST_F(ControlTest, CancelReachesGrandchildrenThatLeftTheGroup) {
  const std::string id =
      dispatch("setsid sh -c ': > away; while :; do sleep 0.05; done' & while :; do sleep 0.05; done");
  ASSERT_TRUE(appears("away"));
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "killed");
  EXPECT_EQ(row["reason"], "cancelled");
  EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
}

TEST_F(ControlTest, CancelGivesTheShellsChildrenTheGrace) {
  const std::string id = dispatch(
      "sh -c 'trap \"sleep 0.3; : > saved; exit\" TERM; : > ready; while :; do sleep 0.05; done'; echo "
      "after");
  ASSERT_TRUE(appears("ready"));
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_EQ(::access((project() + "/saved").c_str(), F_OK), 0);
  EXPECT_THAT(read_text(job_dir(id) + "/output.log"), testing::Not(HasSubstr("after")));
}

TEST_F(ControlTest, CancelKillsAfterTheGrace) {
  const std::string id = dispatch("trap '' TERM; : > deaf; while :; do sleep 0.05; done");
  ASSERT_TRUE(appears("deaf"));
  EXPECT_EQ(luzia({"cancel", id, "--grace", "300ms"}).code, 0);
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "killed") << row;
  EXPECT_EQ(row["signal"], 9) << row;
  EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
}

TEST_F(ControlTest, RetryByFilterShowsTheJobsFirst) {
  const std::string failed = dispatch("exit 3"), completed = dispatch("true");
  EXPECT_EQ(ended(failed)["state"], "failed");
  EXPECT_EQ(ended(completed)["state"], "completed");
  const Finished shown = luzia({"retry", "--project", "demo"});
  EXPECT_EQ(shown.code, 4);
  EXPECT_THAT(shown.out, HasSubstr(failed));
  EXPECT_THAT(shown.err, HasSubstr("this would retry 1 job"));
  EXPECT_EQ(job(failed)["attempt"], 1);
  EXPECT_EQ(luzia({"retry", "--state", "lost", "--yes"}).code, 0) << "nothing to cancel is no error";
  EXPECT_EQ(luzia({"retry", "--project", "demo", "--yes"}).code, 0);
  EXPECT_TRUE(wait_until([&] { return job(failed)["attempt"] == 2; }));
  EXPECT_EQ(job(completed)["attempt"], 1);
  EXPECT_EQ(luzia({"retry", failed, "--project", "demo"}).code, 2);
  EXPECT_EQ(luzia({"retry"}).code, 2);
}

TEST_F(ControlTest, CancelSelectsByTagOrState) {
  configure("[queue]\nmax_running = 1\n");
  const std::string running = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(running, "running"));
  const std::string kept = dispatch("true");
  const Finished tagged = luzia({"-q", "demo", "true", "--tag", "night"});
  ASSERT_EQ(tagged.code, 0) << tagged.err;
  EXPECT_EQ(luzia({"cancel", "--tag", "night", "--yes"}).code, 0);
  EXPECT_EQ(ended(lines_of(tagged.out).at(0))["state"], "cancelled");
  EXPECT_EQ(luzia({"jobs", "--ids"}).out, kept + "\n" + running + "\n");
  EXPECT_EQ(luzia({"cancel", "--state", "queued", "--yes"}).code, 0);
  EXPECT_EQ(ended(kept)["state"], "cancelled");
  EXPECT_EQ(state(running), "running");
  EXPECT_EQ(luzia({"jobs", "--ids"}).out, running + "\n");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(running)["state"], "completed");
}

TEST_F(ControlTest, CancelNoteIsShownWithTheJob) {
  const std::string id = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  EXPECT_EQ(luzia({"cancel", id, "--note", "wrong branch"}).code, 0);
  const Json row = ended(id);
  EXPECT_EQ(row["reason"], "cancelled");
  EXPECT_EQ(row["reason_text"], "cancelled: wrong branch");
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("killed (cancelled: wrong branch)"));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("stop requested (cancelled): wrong branch"));
  EXPECT_THAT(query({"jobs", "--all", "--json"}).out, HasSubstr("cancelled: wrong branch"));
}

TEST_F(ControlTest, CancelBeforeTheStartRunsNoProcess) {
  configure("[queue]\nmax_running = 1\n");
  const std::string first = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  const std::string second = dispatch(": > ran");
  EXPECT_EQ(luzia({"cancel", second}).code, 0);
  EXPECT_EQ(ended(second)["state"], "cancelled");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(first)["state"], "completed");
  EXPECT_NE(::access((project() + "/ran").c_str(), F_OK), 0);
  EXPECT_EQ(luzia({"cancel", second}).code, 4) << "an ended job is not canceled again";
}

TEST_F(ControlTest, BulkCancelNeedsYes) {
  const std::string a = dispatch("while :; do sleep 0.05; done");
  const std::string b = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(a, "running"));
  ASSERT_TRUE(becomes(b, "running"));
  const auto before = position();
  EXPECT_NE(luzia({"cancel", "--all"}).code, 0);
  EXPECT_EQ(position(), before);
  EXPECT_EQ(luzia({"cancel", "--all", "--yes"}).code, 0);
  EXPECT_EQ(ended(a)["state"], "killed");
  EXPECT_EQ(ended(b)["state"], "killed");
}

TEST_F(ControlTest, TimeoutEndsTheAttempt) {
  const std::string id = dispatch("while :; do sleep 0.05; done", {"--timeout", "300ms"});
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "timed_out") << row;
  EXPECT_EQ(luzia({"wait", id}).code, 1);
}

TEST_F(ControlTest, RetryKeepsTheFirstAttemptsFiles) {
  const std::string id = dispatch("echo attempt $LUZIA_ATTEMPT; [ $LUZIA_ATTEMPT = 2 ]");
  EXPECT_EQ(ended(id)["state"], "failed");
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  ASSERT_TRUE(becomes(id, "completed"));
  const Json row = job(id);
  EXPECT_EQ(row["attempts"], 2) << row;
  EXPECT_THAT(read_text(job_dir(id) + "/output.log"), HasSubstr("attempt 2\n"));
  EXPECT_THAT(read_text(job_dir(id) + "/attempt-1/output.log"), HasSubstr("attempt 1\n"));
  EXPECT_EQ(luzia({"logs", id, "--attempt", "1"}).out, "attempt 1\n");
  EXPECT_EQ(luzia({"logs", id}).out, "attempt 2\n");
  EXPECT_EQ(luzia({"logs", id, "--attempt", "3"}).code, 3);
}

TEST_F(ControlTest, RunningJobIsNotRetried) {
  const std::string id = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const Finished refused = luzia({"retry", id});
  EXPECT_EQ(refused.code, 4);
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
}

TEST_F(ControlTest, DependentJobsWaitAndFailWithTheirDependency) {
  const std::string first = dispatch("while [ ! -e go ]; do sleep 0.05; done; echo first >> order");
  const std::string second = dispatch("echo second >> order", {"--after", first});
  const std::string third = dispatch("echo third >> order", {"--after", second + "," + first});
  EXPECT_EQ(state(second), "queued");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(third)["state"], "completed");
  EXPECT_THAT(lines_of(read_text(project() + "/order")), ElementsAre("first", "second", "third"));

  const std::string failing = dispatch("while [ ! -e fail ]; do sleep 0.05; done; exit 1");
  const std::string never = dispatch(": > never", {"--after", failing});
  write_text(project() + "/fail", "");
  const Json row = ended(never);
  EXPECT_NE(row["state"], "completed") << row;
  EXPECT_EQ(luzia({"dispatch", "demo", ": > never", "--after", failing}).code, 4) << "it can never start";
  EXPECT_NE(::access((project() + "/never").c_str(), F_OK), 0);
}

TEST_F(ControlTest, HeldJobStartsOnlyWhenReleased) {
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string held = dispatch("echo held >> order");
  const std::string free_one = dispatch("echo free >> order");
  EXPECT_EQ(luzia({"hold", held}).code, 0);
  EXPECT_EQ(luzia({"resume", "--all"}).code, 0);
  EXPECT_EQ(ended(free_one)["state"], "completed");
  EXPECT_EQ(state(held), "queued");
  EXPECT_TRUE(job(held)["held"].get<bool>());
  EXPECT_EQ(luzia({"release", held}).code, 0);
  EXPECT_EQ(ended(held)["state"], "completed");
}

TEST_F(ControlTest, PauseAndResumeHoldAndReleaseQueuedJobs) {
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string queued = dispatch("true"), other = dispatch("true");
  const Finished paused = luzia({"pause", queued, other, "--note", "later"});
  EXPECT_EQ(paused.code, 0) << paused.err;
  EXPECT_EQ(paused.err.find("is now"), std::string::npos);
  EXPECT_TRUE(job(queued)["held"].get<bool>());
  EXPECT_EQ(luzia({"resume", "--all"}).code, 0);
  EXPECT_THAT(luzia({"why", queued}).out, HasSubstr("later"));
  EXPECT_EQ(luzia({"release", other}).code, 0) << "what was paused can be released";
  EXPECT_EQ(ended(other)["state"], "completed");
  EXPECT_EQ(state(queued), "queued");
  EXPECT_EQ(luzia({"resume", queued}).code, 0);
  EXPECT_EQ(ended(queued)["state"], "completed");
  EXPECT_EQ(luzia({"hold", queued}).code, 4);
  EXPECT_EQ(luzia({"hold", "--help"}).code, 0);
}

TEST_F(ControlTest, PausedJobStopsAndResumes) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const pid_t agent = job(id)["pid"].get<pid_t>();
  const auto is_stopped = [agent] {
    const std::string stat = read_text("/proc/" + std::to_string(agent) + "/stat");
    // D: its shell waits in vfork for the child that it is just starting, and that child is stopped too.
    return stat.find(") T ") != std::string::npos || stat.find(") D ") != std::string::npos;
  };
  EXPECT_EQ(luzia({"pause", id}).code, 0);
  EXPECT_TRUE(wait_until(is_stopped));
  EXPECT_TRUE(job(id)["paused"].get<bool>());
  kill_and_start_daemon();
  EXPECT_TRUE(is_stopped());
  EXPECT_EQ(luzia({"resume", id}).code, 0);
  EXPECT_TRUE(wait_until([&] { return !is_stopped(); }));
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(ControlTest, PauseStopsTheTimeLimit) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done", {"--timeout", "4s"});
  ASSERT_TRUE(becomes(id, "running"));
  ASSERT_EQ(luzia({"pause", id}).code, 0);
  // When a job that started later reaches the same limit, the first job's limit would have expired.
  const std::string other = dispatch("while :; do sleep 0.05; done", {"--timeout", "4s"});
  EXPECT_EQ(ended(other)["state"], "timed_out");
  EXPECT_EQ(state(id), "running");
  kill_and_start_daemon();
  EXPECT_EQ(state(id), "running");
  write_text(project() + "/go", "");
  EXPECT_EQ(luzia({"resume", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(ControlTest, PausedJobCanBeCanceled) {
  const std::string id = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  EXPECT_EQ(luzia({"pause", id}).code, 0);
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
}

TEST_F(ControlTest, PriorityDecidesWhoStartsFirst) {
  configure("[queue]\nmax_running = 1\n");
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string low = dispatch("echo low >> order", {"--priority", "low"});
  const std::string normal = dispatch("echo normal >> order");
  const std::string raised = dispatch("echo raised >> order", {"--priority", "1"});
  EXPECT_EQ(luzia({"edit", raised, "--priority", "9"}).code, 0);
  EXPECT_EQ(luzia({"resume", "--all"}).code, 0);
  ended(low);
  EXPECT_THAT(lines_of(read_text(project() + "/order")), ElementsAre("raised", "normal", "low"));
}

}  // namespace
}  // namespace luzia
