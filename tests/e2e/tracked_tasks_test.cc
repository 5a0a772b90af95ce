// Tasks that Luzia did not dispatch, and about which programs publish.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class TrackedTaskTest : public DaemonTest {
 protected:
  Finished publish(const std::string& kind, const Words& more) const {
    Words words = {"publish", kind};
    words.insert(words.end(), more.begin(), more.end());
    return luzia(words);
  }
  /// Begins the task and returns its job.
  std::string begin(const std::string& task, const std::string& project = "demo") const {
    const Finished begun = publish(
        "task_started", {"--task-id", task, "--project", project, "--description", "the nightly build"});
    EXPECT_EQ(begun.code, 0) << begun.err;
    const Words lines = lines_of(begun.out);
    EXPECT_EQ(lines.size(), 1U) << begun.out;
    return lines.empty() ? std::string() : lines.front();
  }
};

TEST_F(TrackedTaskTest, IsShownLikeAJob) {
  const std::string id = begin("nightly");
  EXPECT_EQ(begin("nightly"), id) << "it is under way already";
  EXPECT_EQ(publish("progress", {"--task-id", "nightly", "--progress-percent", "40"}).code, 0);
  EXPECT_EQ(publish("warning", {id, "--message", "slow today"}).code, 0) << "its job names it too";
  const Json row = job(id);
  EXPECT_EQ(row["state"], "running");
  EXPECT_EQ(row["tracked"], true);
  EXPECT_EQ(row["task"], "the nightly build");
  EXPECT_EQ(row["progress"]["percent"], 40);
  EXPECT_EQ(row["warnings"], 1);
  EXPECT_EQ(row["reported"]["task_id"], "nightly");
  EXPECT_TRUE(row["pid"].is_null());
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("tracked     since "));
  EXPECT_THAT(luzia({"status"}).out, HasSubstr(id));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("tracked as task nightly: Luzia did not dispatch it"));
  expect_refused({"logs", id}, 3, "has no output here");
}

TEST_F(TrackedTaskTest, EndsAsPublished) {
  const std::string id = begin("nightly");
  EXPECT_EQ(publish("task_failed", {"--task-id", "nightly", "--error", "no network"}).code, 0);
  const Json row = ended_as(id, "failed", "published");
  EXPECT_EQ(row["reason_text"], "as published: no network");
  EXPECT_TRUE(row["exit_code"].is_null()) << "nobody saw its process";
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("as published: no network"));
  EXPECT_EQ(luzia({"wait", id}).code, 1);
  expect_refused({"publish", "progress", "--task-id", "nightly"}, 3, "no task 'nightly' is under way");
  const std::string next = begin("nightly");
  EXPECT_NE(next, id) << "the id is free again";
  EXPECT_EQ(publish("task_completed", {"--task-id", "nightly", "--status", "APPROVED"}).code, 0);
  EXPECT_EQ(ended_as(next, "completed", "published")["verdict"]["status"], "APPROVED");
}

TEST_F(TrackedTaskTest, LuziaDoesNothingToIt) {
  const std::string id = begin("nightly");
  const std::string why = "Luzia did not start it";
  for (const char* verb : {"cancel", "retry", "hold", "release", "pause", "resume"}) {
    expect_refused({verb, id}, 4, why);
  }
  expect_refused({"edit", id, "--priority", "9"}, 4, why);
  for (const Words& words : {Words{"diff", id}, Words{"restore", id, "--yes"}})
    expect_refused(words, 3, "has no files here: Luzia did not start it");
  expect_refused({"terminal", "send", id, "x"}, 4, why);
  EXPECT_EQ(state(id), "running");
}

TEST_F(TrackedTaskTest, OutlivesTheDaemon) {
  const std::string id = begin("nightly");
  kill_and_start_daemon();
  EXPECT_EQ(state(id), "running");
  EXPECT_EQ(publish("task_completed", {"--task-id", "nightly"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  expect_verified();
}

TEST_F(TrackedTaskTest, RepeatedEndIsRecordedOnce) {
  const std::string id = begin("nightly");
  const Words end = {"--task-id", "nightly", "--command-id", "end-of-nightly"};
  EXPECT_EQ(publish("task_completed", end).code, 0);
  EXPECT_EQ(publish("task_completed", end).code, 0) << "the same command again";
  EXPECT_EQ(events_of(id, "TaskCompleted").size(), 1U);
}

TEST_F(TrackedTaskTest, ProjectSeparatesTasksOfOneId) {
  const std::string here = begin("nightly"), there = begin("nightly", "other");
  EXPECT_NE(here, there);
  expect_refused({"publish", "progress", "--task-id", "nightly"}, 2, "several projects have a task");
  EXPECT_EQ(publish("task_completed", {"--task-id", "nightly", "--project", "other"}).code, 0);
  EXPECT_EQ(ended(there)["state"], "completed");
  EXPECT_EQ(state(here), "running");
}

TEST_F(TrackedTaskTest, ThousandAreUnderWayAtMost) {
  start_daemon();
  const std::string first = begin("t0");
  for (int n = 1; n < 1'000; ++n) begin("t" + std::to_string(n));
  const Words more = {"publish", "task_started", "--task-id", "more", "--project", "demo"};
  expect_refused(more, 4, "1000 tasks of ");
  restart_daemon();
  expect_refused(more, 4, "1000 tasks of ");
  EXPECT_EQ(publish("task_completed", {first}).code, 0);
  EXPECT_EQ(luzia(more).code, 0) << "one has ended";
}

TEST_F(TrackedTaskTest, MistakesBeginNothing) {
  start_daemon();
  expect_refused({"publish", "task_started", "--task-id", "t"}, 2, "no project given");
  expect_refused({"publish", "task_started", "--task-id", "t", "--project", "nowhere"}, 2,
                 "no project 'nowhere'");
  expect_refused({"publish", "task_started", "--task-id", std::string(101, 't'), "--project", "demo"}, 2,
                 "task_id");
  expect_refused({"publish", "progress", "--task-id", "t"}, 3, "no task 't' is under way");
  expect_refused({"publish", "progress", "JOB", "--task-id", "t"}, 2,
                 "--task-id is for a task without a job");
}

}  // namespace
}  // namespace luzia
