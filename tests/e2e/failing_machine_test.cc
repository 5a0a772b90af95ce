// The machine refuses what a job needs: processes, descriptors, file watches, space or readable folders. The
// job waits, or ends with a one-line reason; a retry works once that is fixed. Acknowledged commands stay,
// and other jobs are not affected.
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "tests/e2e/daemon_fixture.h"
#include "tests/failing_calls/failing_calls.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// A system call that fails while the fault is on.
struct Fault {
  const char* program = nullptr;
  int number = 0;
  std::string name;  // of the file in the call; empty: any
  int error = 0;
};

const std::vector<int> kCallsToFail = {
    SYS_openat, SYS_openat2, SYS_mkdir,  SYS_mkdirat, SYS_renameat, SYS_pipe2,         SYS_vfork,
    SYS_clone,  SYS_clone3,  SYS_execve, SYS_chdir,   SYS_statfs,   SYS_inotify_init1, SYS_inotify_add_watch};

class FailingMachineTest : public DaemonTest {
 protected:
  /// `faults` are on from the daemon's start.
  void start(std::vector<Fault> faults = {}) {
    fail(std::move(faults));
    calls_.emplace(path("calls"), kCallsToFail, [this](const AskedCall& call) { return decide(call); });
    daemon_.emplace(calls_->filtered({kLuziad, "--store", store()}), environment(), path("luziad.out"));
    ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); })) << daemon_->output();
    beside_ = dispatch("while [ ! -e stop ]; do sleep 0.05; done; echo over");
    ASSERT_TRUE(becomes(beside_, "running"));
  }
  void fail(std::vector<Fault> faults) {
    const std::lock_guard lock(mutex_);
    faults_ = std::move(faults);
    met_ = 0;
  }
  bool is_met() const { return met_ > 0; }

  /// The faults are gone: the other job was not affected, and a new job runs.
  void expect_all_well() {
    fail({});
    EXPECT_EQ(ended(dispatch("echo again"))["output"]["lines"], 1);
    write_text(project() + "/stop", "");
    const Json row = ended(beside_);
    EXPECT_EQ(row["state"], "completed") << row;
    EXPECT_EQ(row["output"]["lines"], 1) << row;
    expect_verified();
  }
  /// Under each fault a job waits and the log names the fix; the job runs once the fault is gone.
  void expect_late_starts(const std::vector<Fault>& faults, const std::string& fix) {
    start();
    for (const Fault& fault : faults) {
      fail({fault});
      const std::string id = dispatch("echo ran");
      EXPECT_TRUE(wait_until([&] { return daemon_log().find(id + ": cannot start") != std::string::npos; }));
      EXPECT_EQ(state(id), "starting");
      fail({});
      const Json row = ended(id);
      EXPECT_EQ(row["state"], "completed") << row;
      EXPECT_EQ(row["attempts"], 1) << row;
    }
    EXPECT_THAT(daemon_log(), HasSubstr("trying again until it works (" + fix));
    expect_all_well();
  }
  std::string daemon_log() const { return read_text(store() + "/luziad.log"); }

 private:
  int decide(const AskedCall& call) {
    const bool is_thread = (call.number == SYS_clone3 && (call.word(0) & CLONE_THREAD) != 0) ||
                           (call.number == SYS_clone && (call.arguments[0] & CLONE_THREAD) != 0);
    if (is_thread) return FailingCalls::kGoOn;
    const std::lock_guard lock(mutex_);
    for (const Fault& fault : faults_) {
      if (fault.number != call.number || call.program() != fault.program) continue;
      const std::size_t names = call.number == SYS_statfs ? 0 : 1;
      if (!fault.name.empty() && call.text(names).find(fault.name) == std::string::npos) continue;
      ++met_;
      return fault.error;
    }
    return FailingCalls::kGoOn;
  }

  std::mutex mutex_;
  std::vector<Fault> faults_;  // guarded by mutex_
  std::atomic<int> met_{0};
  std::optional<FailingCalls> calls_;
  std::optional<BesideProgram> daemon_;
  std::string beside_;
};

TEST_F(FailingMachineTest, JobWithUnwritableFilesRunsWhenRetried) {
  start();
  const std::pair<Fault, const char*> kCases[] = {
      {{"luziad", SYS_mkdirat, "", EACCES}, "Permission denied"},
      {{"luziad", SYS_openat, "prompt.txt", EIO}, "Input/output error"},
      {{"luzia-run", SYS_openat, "output.log", EIO}, "Input/output error"},
      {{"luzia-run", SYS_chdir, "", EACCES}, "Permission denied"},
      {{"luzia-run", SYS_execve, "", ENOEXEC}, "Exec format error"},
      {{"luzia-run", SYS_vfork, "", EAGAIN}, "Resource temporarily unavailable"},
  };
  for (const auto& [fault, words] : kCases) {
    fail({fault});
    const std::string id = dispatch("echo ran");
    const Json row = ended(id);
    EXPECT_EQ(row["state"], "failed") << words << row;
    EXPECT_EQ(row["reason"], "start_failed") << words << row;
    const std::string told = row["reason_text"];
    // luzia-run's C library has other words for EIO.
    EXPECT_THAT(told, AnyOf(HasSubstr(words), HasSubstr("I/O error")));
    EXPECT_EQ(told.find('\n'), std::string::npos);
    EXPECT_TRUE(is_met()) << words;
    fail({});
    EXPECT_EQ(luzia({"retry", id}).code, 0) << words;
    const Json again = ended(id);
    EXPECT_EQ(again["state"], "completed") << words << again;
    EXPECT_EQ(again["output"]["lines"], 1) << words << again;
  }
  expect_all_well();
}

TEST_F(FailingMachineTest, JobWaitsForProcessesAndDescriptors) {
  expect_late_starts({{"luziad", SYS_clone3, "", EAGAIN},
                      {"luziad", SYS_pipe2, "", EMFILE},
                      {"luziad", SYS_mkdirat, "", ENFILE}},
                     "see the limit");
}

TEST_F(FailingMachineTest, JobWaitsForDiskSpace) {
  expect_late_starts({{"luziad", SYS_mkdirat, "", ENOSPC},
                      {"luziad", SYS_openat, "output.log", EDQUOT},
                      {"luziad", SYS_openat, "run.sh", EROFS},
                      {"luzia-run", SYS_openat, ".1.exit.tmp", ENOSPC}},
                     "make room");
}

TEST_F(FailingMachineTest, JobThatCannotStartYetCanBeCanceled) {
  start();
  for (const Fault& fault : {Fault{"luziad", SYS_clone3, "", EAGAIN}, {"luziad", SYS_mkdirat, "", ENOSPC}}) {
    fail({fault});
    const std::string id = dispatch("echo ran > ran");
    EXPECT_TRUE(wait_until([&] { return daemon_log().find(id + ": cannot start") != std::string::npos; }));
    EXPECT_EQ(luzia({"cancel", id}).code, 0);
    ended_as(id, "killed", "cancelled");
  }
  expect_all_well();
  EXPECT_FALSE(fs::exists(project() + "/ran"));
}

TEST_F(FailingMachineTest, OutputIsReadWithoutFileWatches) {
  for (const int number : {SYS_inotify_init1, SYS_inotify_add_watch}) {
    start({{"luziad", number, "", number == SYS_inotify_init1 ? EMFILE : ENOSPC}});
    const std::string id =
        dispatch("printf '\\033]9;4;1;40\\007\\n'; while [ ! -e go ]; do sleep 0.05; done; echo two; rm go");
    EXPECT_TRUE(wait_until([&] { return events_of(id, "ProgressReported").size() == 1; }));
    EXPECT_TRUE(is_met());
    write_text(project() + "/go", "");
    const Json row = ended(id);
    EXPECT_EQ(row["state"], "completed") << row;
    EXPECT_EQ(row["output"]["lines"], 2) << row;
    EXPECT_THAT(daemon_log(), HasSubstr("such directories are looked at every second instead"));
    expect_all_well();
    stop_daemon();
    fs::remove(project() + "/stop");
  }
}

TEST_F(FailingMachineTest, AnswersByHandAreReadWithoutFileWatches) {
  start({{"luziad", SYS_inotify_add_watch, "", ENOSPC}});
  const std::string id = dispatch(
      "cd $LUZIA_JOB_DIR; echo '{\"question\":\"Go on?\"}' > clarification.json; "
      "while ! grep -qs answered_by response.json; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "waiting"));
  EXPECT_TRUE(is_met());
  write_text(job_dir(id) + "/response.json", R"({"text":"yes"})");
  EXPECT_EQ(ended(id)["state"], "completed");
  expect_all_well();
}

TEST_F(FailingMachineTest, TemporarilyUnreadableOutputIsReadLater) {
  start();
  const std::string id = dispatch(
      "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; while [ ! -e on ]; do sleep "
      "0.05; done; printf '\\033]9;4;1;40\\007\\n'; exit 3");
  ASSERT_TRUE(becomes(id, "running"));
  fail({{"luziad", SYS_openat, "output.log", EIO}});
  write_text(project() + "/go", "");
  EXPECT_TRUE(wait_until([&] { return is_met(); }));
  EXPECT_TRUE(
      wait_until([&] { return daemon_log().find("output.log: Input/output error") != std::string::npos; }));
  fail({});
  write_text(project() + "/on", "");
  const Json row = ended(id);
  EXPECT_EQ(row["exit_code"], 3) << row;
  EXPECT_EQ(row["output"]["lines"], 3) << row;
  EXPECT_EQ(row["progress"]["percent"], 40) << row;
  expect_all_well();
}

TEST_F(FailingMachineTest, UnreadableOutputDoesNotHideTheExit) {
  start();
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done; echo unread; exit 3");
  ASSERT_TRUE(becomes(id, "running"));
  fail({{"luziad", SYS_openat, "output.log", EIO}, {"luziad", SYS_openat2, "output.log", EIO}});
  write_text(project() + "/go", "");
  const Json row = ended(id);
  EXPECT_EQ(row["exit_code"], 3) << row;
  const Finished logs = luzia({"logs", id});
  EXPECT_EQ(logs.code, 5) << logs.err;
  EXPECT_EQ(error_lines(logs.err), 1u) << logs.err;
  EXPECT_THAT(logs.err, HasSubstr("Input/output error"));
  fail({});
  EXPECT_EQ(luzia({"logs", id}).out, "unread\n");
  expect_all_well();
}

TEST_F(FailingMachineTest, ExitIsKnownThoughLuziaRunWasKilledBeforeItNamedTheRecord) {
  start();
  fail({{"luzia-run", SYS_renameat, ".exit.tmp", FailingCalls::kKill}});
  const Json row = ended(dispatch("exit 3"));
  EXPECT_TRUE(is_met());
  EXPECT_EQ(row["exit_code"], 3) << row;
  EXPECT_EQ(row["state"], "failed") << row;
  expect_all_well();
}

TEST_F(FailingMachineTest, UnresponsiveJobsDiskBlocksNothing) {
  start();
  fail({{"luziad", SYS_statfs, fs::path(job_dir("any")).parent_path(), FailingCalls::kHold}});
  EXPECT_TRUE(wait_until([&] {
    luzia({"jobs"});
    return is_met();
  }));
  EXPECT_EQ(ended(dispatch("echo ran"))["state"], "completed");
  stop_daemon();
}

using FewDescriptorsTest = DaemonTest;

TEST_F(FewDescriptorsTest, MoreJobsThanDescriptorsAllRun) {
  constexpr int kJobs = 50;
  BesideProgram daemon({kLuziad, "--store", store()}, environment(), path("luziad.out"), [] {
    const rlimit few{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &few);
  });
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); }));
  std::string batch;
  for (int i = 0; i < kJobs; ++i) {
    batch +=
        R"({"project":"demo","task":"echo x >> runs; while [ ! -e go ]; do sleep 0.05; done; echo out"})";
    batch += '\n';
  }
  const Finished sent = luzia({"dispatch", "--batch", "-"}, batch);
  ASSERT_EQ(sent.code, 0) << sent.err;
  const Words ids = lines_of(sent.out);
  ASSERT_EQ(ids.size(), std::size_t{kJobs});
  EXPECT_TRUE(wait_until(
      [&] { return read_text(store() + "/luziad.log").find("Too many open files") != std::string::npos; }));
  write_text(project() + "/go", "");
  EXPECT_TRUE(wait_until([&] { return lines_of(read_text(project() + "/runs")).size() == kJobs; }));
  for (const std::string& id : ids) {
    const Json row = ended(id);
    EXPECT_EQ(row["state"], "completed") << row;
    EXPECT_EQ(row["output"]["lines"], 1) << row;
  }
  EXPECT_EQ(lines_of(read_text(project() + "/runs")).size(), std::size_t{kJobs});
  expect_verified();
}

using PlaceOfJobsTest = DaemonTest;

TEST_F(PlaceOfJobsTest, VanishedJobsFolderIsRecreated) {
  const std::string running = dispatch(": > begun; while [ ! -e go ]; do sleep 0.05; done; exit 3");
  // Not `running` alone: the shell reads the task from a file in the folder.
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/begun"); }));
  const std::string jobs = fs::path(job_dir(running)).parent_path();
  // Retried, because the daemon may create a file in the folder meanwhile.
  const auto vanish = [&] {
    std::error_code failed;
    fs::remove_all(jobs, failed);
    return !failed;
  };
  ASSERT_TRUE(wait_until(vanish));
  EXPECT_EQ(ended(dispatch("echo one"))["output"]["lines"], 1);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(running)["exit_code"], 3);
  const auto a_file_instead = [&] { return vanish() && std::ofstream(jobs).is_open(); };
  ASSERT_TRUE(wait_until(a_file_instead));
  const std::string id = dispatch("echo two");
  const Json row = ended(id);
  EXPECT_EQ(row["reason"], "start_failed") << row;
  EXPECT_THAT(std::string(row["reason_text"]), HasSubstr(jobs));
  fs::remove(jobs);
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  expect_verified();
}

TEST_F(PlaceOfJobsTest, DirectoryRemovedDuringChecksLosesOnlyOutput) {
  configure("[agents.reader]\ncommand = ['sh']\n[projects.checked]\npath = \"" + project() +
            "\"\npreflight = [\": > checking; while [ ! -e pass ]; do sleep 0.05; done\"]\n");
  const Finished sent = luzia({"dispatch", "checked", "echo here", "--agent", "reader"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/checking"); }));
  fs::remove_all(job_dir(id));
  write_text(project() + "/pass", "");
  // luzia-run keeps its open files: the agent runs, but its output is lost with the directory.
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "completed") << row;
  EXPECT_EQ(luzia({"logs", id}).out, "");
  EXPECT_EQ(ended(dispatch("echo next"))["state"], "completed");
  expect_verified();
}

}  // namespace
}  // namespace luzia
