// The moments around an agent's start: a daemon that stops then, a daemon that cannot look, and checks that
// do not end.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

using LaunchTest = DaemonTest;

TEST_F(LaunchTest, DaemonStopsInOrderDuringALaunch) {
  // A daemon whose luzia-run stalls before it claims the attempt.
  fs::create_directories(path("bin"));
  fs::copy_file(kLuziad, path("bin/luziad"));
  const fs::path runner = fs::path(kLuziad).parent_path() / "../luzia-run/luzia-run";
  write_text(path("bin/luzia-run"), "#!/bin/sh\n: > '" + path("launching") + "'\nwhile [ ! -e '" +
                                        path("go") + "' ]; do sleep 0.05; done\nexec '" +
                                        fs::canonical(runner).string() + "' \"$@\"\n");
  fs::permissions(path("bin/luzia-run"), fs::perms::owner_all);
  BesideProgram daemon({path("bin/luziad"), "--store", store()}, environment(), path("daemon.out"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); }));
  const std::string id = dispatch("echo ran");
  ASSERT_TRUE(wait_until([&] { return fs::exists(path("launching")); }));
  daemon.signal(SIGTERM);
  // The daemon accepts no clients any more while the launch is still under way.
  ASSERT_TRUE(wait_until([&] { return !fs::exists(store() + "/socket"); }));
  write_text(path("go"), "");
  EXPECT_EQ(daemon.end(), 0) << daemon.output();
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "AttemptStarted").size(), 1u);
  expect_verified();
}

TEST_F(LaunchTest, ShellTaskIsInNoProcessArguments) {
  const std::string id =
      dispatch("key=hunter2; : > ready; while [ ! -e go ]; do sleep 0.05; done; echo $key");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/ready"); }));
  const std::vector<pid_t> all = own_processes();
  EXPECT_GE(all.size(), 3U) << "luziad, luzia-run and the shell";
  for (const pid_t each : all) {
    EXPECT_THAT(read_text("/proc/" + std::to_string(each) + "/cmdline"),
                testing::Not(testing::HasSubstr("hunter2")));
  }
  struct stat status {};
  ASSERT_EQ(::stat((job_dir(id) + "/task.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(read_text(job_dir(id) + "/output.log"), testing::StartsWith("hunter2\n"));
}

class ChecksTest : public DaemonTest {
 protected:
  void SetUp() override {
    configure("[projects.checked]\npath = \"" + project() +
              "\"\npreflight = [\"echo check >> checks; while [ ! -e pass ]; do sleep 0.05; done\"]\n");
  }

  /// A job whose check runs and does not end.
  std::string checked_job(const Words& options = {}) const {
    Words words = {"dispatch", "checked", "echo agent >> agents"};
    words.insert(words.end(), options.begin(), options.end());
    const Finished sent = luzia(words);
    EXPECT_EQ(sent.code, 0) << sent.err;
    EXPECT_TRUE(wait_until([&] { return fs::exists(project() + "/checks"); }));
    return lines_of(sent.out).at(0);
  }

  void kill_runner(const std::string& id) const {
    const std::string claim = read_text(store() + "/run/" + id + ".1");
    const std::size_t at = claim.find("runner=");
    ASSERT_NE(at, std::string::npos);
    ::kill(static_cast<pid_t>(std::stol(claim.substr(at + 7, 10))), SIGKILL);
  }

  void expect_never_ran(const std::string& id) const {
    EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
    EXPECT_FALSE(fs::exists(project() + "/agents"));
    EXPECT_TRUE(events_of(id, "AttemptStarted").empty());
  }
};

TEST_F(ChecksTest, JobCanceledDuringChecksNeverRuns) {
  const std::string id = checked_job();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  ended_as(id, "killed", "cancelled");
  expect_never_ran(id);
  expect_verified();
}

TEST_F(ChecksTest, CancelAfterACrashReachesTheChecks) {
  const std::string id = checked_job();
  kill_daemon();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  ended_as(id, "killed", "cancelled");
  expect_never_ran(id);
}

TEST_F(ChecksTest, StartOfTheLastDaemonHappensOnce) {
  const std::string id = checked_job();
  kill_and_start_daemon();
  kill_daemon();
  write_text(project() + "/pass", "");
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "AttemptStarted").size(), 1u);
  EXPECT_EQ(read_text(project() + "/checks"), "check\n");
  EXPECT_EQ(read_text(project() + "/agents"), "agent\n");
  expect_verified();
}

TEST_F(ChecksTest, ChecksCountForTheTimeLimit) {
  const std::string id = checked_job({"--timeout", "3s"});
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "timed_out") << row;
  expect_never_ran(id);
  expect_verified();
}

TEST_F(ChecksTest, LuziaRunKilledDuringChecksFailsTheStart) {
  const std::string id = checked_job();
  kill_runner(id);
  ended_as(id, "failed", "start_failed");
  expect_never_ran(id);
  EXPECT_TRUE(wait_until([&] { return read_text(job_dir(id) + "/output.log") == "\nexit:126\n"; }));
}

TEST_F(ChecksTest, ChecksDieWithAKilledLuziaRun) {
  configure("[projects.checked]\npath = \"" + project() +
            "\"\npreflight = [\"setsid sleep 1000 & :\", "
            "\"setsid sh -c 'sleep 1000; :' & : > checks; sleep 1000; :\"]\n");
  for (const bool daemon_sees_it : {true, false}) {
    const std::string id = checked_job();
    if (!daemon_sees_it) kill_daemon();
    kill_runner(id);
    const Json row = ended(id);
    EXPECT_EQ(row["reason"], "start_failed") << row;
    // After the signal the processes need a moment to exit.
    EXPECT_TRUE(wait_until([&] { return processes_of(id).empty(); }));
    fs::remove(project() + "/checks");
  }
  expect_verified();
}

TEST_F(ChecksTest, StoppingDaemonDoesNotWaitForChecks) {
  const std::string id = checked_job();
  stop_daemon();
  EXPECT_FALSE(processes_of(id).empty()) << "they go on without it";
  write_text(project() + "/pass", "");
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/checks"), "check\n");
  EXPECT_EQ(events_of(id, "AttemptStarted").size(), 1u);
  expect_verified();
}

/// While it exists, the process cannot open any file.
class NoDescriptors {
 public:
  explicit NoDescriptors(pid_t pid) : pid_(pid) {
    EXPECT_EQ(prlimit(pid_, RLIMIT_NOFILE, nullptr, &before_), 0);
    const rlimit none{3, before_.rlim_max};
    EXPECT_EQ(prlimit(pid_, RLIMIT_NOFILE, &none, nullptr), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  pid_t pid_;
  rlimit before_{};
};

TEST_F(LaunchTest, EndIsReadOnceDescriptorsAreFree) {
  const std::string id = dispatch("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 12");
  ASSERT_TRUE(becomes(id, "running"));
  {
    const NoDescriptors limited(daemon_pid());
    write_text(project() + "/go", "");
    EXPECT_TRUE(wait_until([&] {
      return read_text(store() + "/luziad.log").find("looking again until it works") != std::string::npos;
    }));
  }
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_EQ(row["exit_code"], 12) << row;
  EXPECT_EQ(row["output"]["lines"], 2) << row;
  expect_verified();
}

TEST_F(LaunchTest, AgentUnwatchedForLackOfDescriptorsIsNotLost) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const auto runner = events_of(id, "AttemptStarted").at(0)["data"]["runner_pid"].get<pid_t>();
  {
    const NoDescriptors limited(daemon_pid());
    ::kill(runner, SIGKILL);
    EXPECT_TRUE(wait_until([&] {
      return read_text(store() + "/luziad.log").find("looking again until it works") != std::string::npos;
    }));
  }
  EXPECT_TRUE(wait_until([&] { return !events_of(id, "RunnerGone").empty(); }));
  EXPECT_EQ(state(id), "running");
  write_text(project() + "/go", "");
  ended(id);
}

TEST_F(LaunchTest, LuziaRunKilledAfterChecksKeepsItsAgent) {
  configure("[projects.checked]\npath = \"" + project() + "\"\npreflight = [\"sleep 0.1\"]\n");
  // The agent itself removes its luzia-run, long before the daemon looks at the claim again.
  const Finished sent =
      luzia({"dispatch", "checked", "kill -9 $PPID; while [ ! -e go ]; do sleep 0.05; done"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  EXPECT_TRUE(wait_until([&] { return !events_of(id, "RunnerGone").empty(); }));
  EXPECT_EQ(state(id), "running");
  EXPECT_EQ(events_of(id, "AttemptStarted").size(), 1u);
  write_text(project() + "/go", "");
  ended(id);
}

TEST_F(LaunchTest, DamagedExitRecordIsKept) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const auto started = events_of(id, "AttemptStarted").at(0)["data"];
  stop_daemon();
  write_text(project() + "/go", "");
  const pid_t runner = started["runner_pid"].get<pid_t>();
  ASSERT_TRUE(wait_until([&] { return !is_running(runner); }));
  const std::string record = store() + "/run/" + id + ".1.exit";
  ASSERT_TRUE(fs::exists(record));
  fs::resize_file(record, 100);
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "lost");
  EXPECT_TRUE(fs::exists(record + ".damaged"));
}

}  // namespace
}  // namespace luzia
