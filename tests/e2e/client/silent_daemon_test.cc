// A daemon that runs but does not respond: stopped with SIGSTOP, or held by a debugger.
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <deque>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class SilentDaemonTest : public DaemonTest {
 protected:
  void TearDown() override {
    if (pid_ > 0) ::kill(pid_, SIGCONT);
  }

  void stop_answering() {
    pid_ = daemon_pid();
    ASSERT_GT(pid_, 0);
    ASSERT_EQ(::kill(pid_, SIGSTOP), 0);
  }
  void go_on() {
    ASSERT_EQ(::kill(pid_, SIGCONT), 0);
    pid_ = 0;
  }
  Finished impatient(const Words& words) const { return luzia(words, {}, {"LUZIA_PATIENCE=3s"}); }
  /// Returns when another client has given up waiting.
  void lose_patience() const { EXPECT_EQ(impatient({"status"}).code, 5); }
  std::string pid_text() const { return "pid " + std::to_string(pid_); }

  pid_t pid_ = 0;
};

TEST_F(SilentDaemonTest, EveryCommandReportsItAndGivesUp) {
  start_daemon();
  const std::string id = dispatch_until("running", "sleep 1000");
  stop_answering();
  const std::vector<Words> commands = {{kLuzia, "status"},
                                       {kLuzia, "jobs"},
                                       {kLuzia, "job", id},
                                       {kLuzia, "why", id},
                                       {kLuzia, "logs", id},
                                       {kLuzia, "cancel", id},
                                       {kLuzia, "retry", id},
                                       {kLuzia, "hold", id},
                                       {kLuzia, "pause", "--all"},
                                       {kLuzia, "edit", id, "--priority", "1"},
                                       {kLuzia, "answer", id, "yes"},
                                       {kLuzia, "approve", id},
                                       {kLuzia, "questions"},
                                       {kLuzia, "issues"},
                                       {kLuzia, "publish", "warning", id, "--message", "m"},
                                       {kLuzia, "wait", id},
                                       {kLuzia, "watch", id},
                                       {kLuzia, "follow"},
                                       {kLuzia, "demo", "true"},
                                       {kLuzia, "daemon", "reload"},
                                       {kLuzia, "daemon", "status"},
                                       {kLuzia, "daemon", "drain"},
                                       {kLuziaQuery, "jobs"},
                                       {kLuziaQuery, "status"},
                                       {kLuziaQuery, "events"},
                                       {kLuziaQuery, "verify"}};
  std::deque<BesideProgram> running;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    running.emplace_back(commands[i], environment({"LUZIA_PATIENCE=3s"}), path("out" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(running[i].end(), 5) << testing::PrintToString(commands[i]) << running[i].output();
    EXPECT_THAT(running[i].output(),
                AllOf(HasSubstr("waiting for the daemon: " + pid_text() +
                                " does not answer, it is stopped (SIGSTOP); waiting up to 3.0s"),
                      HasSubstr("gave up after 3.0s"), HasSubstr("kill -CONT")))
        << testing::PrintToString(commands[i]);
  }
}

TEST_F(SilentDaemonTest, PatienceOptionIsChecked) {
  start_daemon();
  stop_answering();
  const Finished status = luzia({"status", "--patience", "500ms"});
  EXPECT_EQ(status.code, 5);
  EXPECT_THAT(status.err, HasSubstr("gave up after"));
  EXPECT_EQ(query({"jobs", "--patience", "500ms"}).code, 5);
  EXPECT_EQ(luzia({"status", "--patience", "soon"}).code, 2);
  EXPECT_EQ(luzia({"status"}, {}, {"LUZIA_PATIENCE=soon"}).code, 2);
  EXPECT_EQ(query({"jobs", "--patience", "soon"}).code, 2);
}

TEST_F(SilentDaemonTest, UnansweredCommandIsRepeatedSafely) {
  start_daemon();
  stop_answering();
  const Finished lost = impatient({"demo", "true", "--command-id", "mine"});
  EXPECT_EQ(lost.code, 5);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("it is not known whether it will carry out the command"),
                              HasSubstr("--command-id mine")));
  go_on();
  const Finished again = luzia({"demo", "true", "--command-id", "mine"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(luzia_json({"jobs", "--all", "--json"})["jobs"].size(), 1u);
}

TEST_F(SilentDaemonTest, StreamContinuesWithTheDaemon) {
  start_daemon();
  const std::string first = dispatch("true");
  ended(first);
  const BesideProgram follow({kLuzia, "follow", "--since", "0", "--patience", "3s"}, environment(),
                             path("follow"));
  ASSERT_TRUE(wait_until([&] {
    return follow.output().find("JobCompleted") != std::string::npos ||
           follow.output().find("AttemptEnded") != std::string::npos;
  })) << follow.output();
  stop_answering();
  ASSERT_TRUE(wait_until([&] { return follow.output().find("does not answer") != std::string::npos; }));
  lose_patience();
  EXPECT_TRUE(is_running(follow.pid()));
  go_on();
  const std::string second = dispatch("true");
  EXPECT_TRUE(wait_until([&] { return follow.output().find(second) != std::string::npos; }));
  EXPECT_THAT(follow.output(), HasSubstr("the daemon answers again"));
}

TEST_F(SilentDaemonTest, AgentsQuestionSurvives) {
  start_daemon();
  const std::string id =
      dispatch_until("waiting", kLuzia + " ask 'Which?' --options a,b --patience 2s > answer");
  stop_answering();
  lose_patience();
  lose_patience();
  go_on();
  EXPECT_EQ(luzia({"answer", id, "b"}).code, 0);
  ended_as(id, "completed", "exit_code");
  EXPECT_EQ(read_text(project() + "/answer"), "b\n");
}

TEST_F(SilentDaemonTest, DoctorAndStatusReportIt) {
  start_daemon();
  stop_answering();
  const Finished doctor = impatient({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_THAT(doctor.out,
              AllOf(HasSubstr("does not answer"), HasSubstr("SIGSTOP"), HasSubstr("project demo")));
  const Finished status = impatient({"daemon", "status"});
  EXPECT_EQ(status.code, 5);
  EXPECT_EQ(status.out, "does not answer, " + pid_text() + ", stopped (SIGSTOP)\n");
  const Finished json = impatient({"daemon", "status", "--json"});
  EXPECT_EQ(json.code, 5);
  const Json told = Json::parse(json.out);
  EXPECT_EQ(told["answers"], false);
  EXPECT_EQ(told["pid"], pid_);
  EXPECT_EQ(told["process_state"], "stopped");
}

TEST_F(SilentDaemonTest, StopAndRestartEndItWhileJobsContinue) {
  start_daemon();
  const std::string id = dispatch_until("running", "sleep 1000");
  stop_answering();
  const Finished stopped = luzia({"daemon", "stop", "--patience", "500ms"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("sent it SIGTERM and SIGCONT"));
  EXPECT_FALSE(is_running(pid_));
  EXPECT_FALSE(processes_of(id).empty());
  start_daemon();
  stop_answering();
  const Finished restarted = luzia({"daemon", "restart", "--patience", "2s"});
  EXPECT_EQ(restarted.code, 0) << restarted.err;
  EXPECT_FALSE(is_running(pid_));
  pid_ = 0;
  EXPECT_EQ(state(id), "running");
}

TEST_F(SilentDaemonTest, UnstoppableDaemonIsKilledOnlyIfForced) {
  start_daemon();
  pid_ = daemon_pid();
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, pid_, nullptr, nullptr), 0);
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, pid_, nullptr, nullptr), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(pid_, &status, __WALL), pid_);
  const Finished polite = luzia({"daemon", "stop", "--patience", "1s"});
  EXPECT_EQ(polite.code, 5);
  EXPECT_THAT(polite.err, AllOf(HasSubstr("still running 5.0s after SIGTERM"), HasSubstr("--force")));
  const Finished forced = luzia({"daemon", "stop", "--force", "--patience", "1s"});
  EXPECT_EQ(forced.code, 0) << forced.err;
  ASSERT_EQ(::waitpid(pid_, &status, __WALL), pid_);
  EXPECT_TRUE(WIFSIGNALED(status));
  pid_ = 0;
  EXPECT_EQ(luzia({"status"}).code, 0) << "the next one finds all that was acknowledged";
}

TEST_F(SilentDaemonTest, BareLuziaDoesNotWaitForTheDaemon) {
  start_daemon();
  dispatch("true");
  stop_answering();
  const auto began = std::chrono::steady_clock::now();
  const Finished bare = luzia({});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2)) << "0.3 s, on a busy machine";
  EXPECT_EQ(bare.code, 0);
  EXPECT_EQ(bare.err, "");
  EXPECT_THAT(bare.out, AllOf(HasSubstr("does not answer"), HasSubstr("\nluzia help lists the commands.\n")));
}

}  // namespace
}  // namespace luzia
