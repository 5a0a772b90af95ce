// What jobs need works in a sandbox as without: exits, signals, questions, checks, terminals. And what cannot
// be confined does not run.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <chrono>
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"
#include "tests/paths.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class SandboxedJobTest : public DaemonTest, public testing::WithParamInterface<const char*> {
 protected:
  SandboxedJobTest() {
    configure("[agents.shell]\nsandbox_read = [\"" + kLuzia + "\", \"" + attacker_ + "\"]\nsandbox = \"" +
              GetParam() + "\"\n");
  }
  const std::string attacker_ = build_path("tests/wall/escapes");
  std::string output(const std::string& job) const { return read_text(job_dir(job) + "/output.log"); }
};

INSTANTIATE_TEST_SUITE_P(Each, SandboxedJobTest, testing::Values("off", "project", "strict"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(SandboxedJobTest, ExitCodeAndSignalAreTheAgents) {
  EXPECT_EQ(ended(dispatch("exit 143"))["exit_code"], 143);
  const Json killed = ended(dispatch("kill -9 $$"));
  EXPECT_EQ(killed["signal"], 9) << killed.dump();
  EXPECT_EQ(ended(dispatch("sleep 0.1; exit 0"))["state"], "completed");
}

TEST_P(SandboxedJobTest, StopReachesTheAgentAndWaitsForIt) {
  const std::string id =
      dispatch("trap 'sleep 0.2; echo saved; exit 3' TERM; touch ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/ready"); }));
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_THAT(output(id), HasSubstr("saved"));
}

TEST_P(SandboxedJobTest, PauseStopsTheAgent) {
  // It starts no process: a shell whose child is stopped before its exec waits for it in state D.
  const std::string id = dispatch("while [ ! -e go ]; do :; done");
  ASSERT_TRUE(becomes(id, "running"));
  const std::string stat = "/proc/" + job(id)["pid"].dump() + "/stat";
  EXPECT_EQ(luzia({"pause", id}).code, 0);
  EXPECT_TRUE(wait_until([&] { return read_text(stat).find(") T ") != std::string::npos; }))
      << read_text(stat);
  EXPECT_EQ(luzia({"resume", id}).code, 0);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_P(SandboxedJobTest, AgentAsksAndReports) {
  const std::string id =
      dispatch_until("waiting", kLuzia + " publish progress --progress-percent 40 && " + kLuzia +
                                    " ask 'Which port?' --options http,https > answer");
  EXPECT_EQ(events_of(id, "ProgressReported").size(), 1U);
  EXPECT_EQ(luzia({"answer", id, "https"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_EQ(read_text(project() + "/answer"), "https\n");
}

TEST_P(SandboxedJobTest, AgentAsksANewDaemon) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done; " + kLuzia +
                                  " ask 'Which port?' --options http,https > answer");
  ASSERT_TRUE(becomes(id, "running"));
  kill_and_start_daemon();
  write_text(project() + "/go", "");
  ASSERT_TRUE(becomes(id, "waiting")) << output(id);
  EXPECT_EQ(luzia({"answer", id, "http"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
}

TEST_P(SandboxedJobTest, OwnUserInASandboxSpeaksForItsJobOnly) {
  const std::string other = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(other, "running"));
  const bool confined = std::string(GetParam()) != "off";
  const std::string id =
      dispatch(kLuzia + " cancel " + other + " > said 2>&1; echo $? > code; env -u LUZIA_CREDENTIAL " +
               kLuzia + " jobs > listed 2>&1; echo $? > code-of-jobs");
  EXPECT_EQ(ended(id)["state"], "completed");
  if (confined) {
    EXPECT_EQ(read_text(project() + "/code"), "4\n") << read_text(project() + "/said");
    EXPECT_NE(read_text(project() + "/code-of-jobs"), "0\n") << read_text(project() + "/listed");
    EXPECT_THAT(read_text(project() + "/listed"), Not(HasSubstr(other)));
    EXPECT_EQ(state(other), "running");
  } else {
    EXPECT_EQ(read_text(project() + "/code"), "0\n") << read_text(project() + "/said");
  }
  write_text(project() + "/go", "");
  ended(other);
}

TEST_P(SandboxedJobTest, AgentDoesNotAnswerItsOwnQuestion) {
  const bool confined = std::string(GetParam()) != "off";
  const std::string answers = kLuzia + " answer $LUZIA_JOB_ID http >> said 2>&1; ";
  const std::string id =
      dispatch("(" + kLuzia + " ask 'Which port?' --options http,https > answer) & " +
               "while [ ! -e go ]; do sleep 0.05; done; " + answers + "echo '{\"answer\":\"http\"}' | tee " +
               "$LUZIA_JOB_DIR/response.json > $LUZIA_JOB_DIR/approved.json; touch tried; " +
               "while [ ! -e go2 ]; do sleep 0.05; done; env -u LUZIA_JOB_ID -u LUZIA_CREDENTIAL " + answers +
               "touch tried2; wait");
  ASSERT_TRUE(becomes(id, "waiting")) << output(id);
  write_text(project() + "/go", "");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/tried"); }));
  EXPECT_EQ(state(id), "waiting") << read_text(project() + "/said");
  write_text(project() + "/go2", "");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/tried2"); }));
  if (confined) {
    EXPECT_EQ(state(id), "waiting") << read_text(project() + "/said");
    EXPECT_EQ(luzia({"answer", id, "https"}).code, 0);
  }
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_EQ(read_text(project() + "/answer"), confined ? "https\n" : "http\n");
}

TEST_P(SandboxedJobTest, ForkBombDiesAlone) {
  const std::string beside = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  const std::string id =
      dispatch("i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i+1)); done; wait", {"--processes", "50"});
  ended_as(id, "killed", "process_limit");
  EXPECT_TRUE(processes_of("LUZIA_JOB_ID=" + id).empty());
  EXPECT_EQ(state(beside), "running");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(beside)["state"], "completed");
}

TEST_P(SandboxedJobTest, RoomOfItsDirectoryIsLimited) {
  const std::string id = dispatch("head -c 8M /dev/zero > $LUZIA_JOB_DIR/big; sleep 600", {"--disk", "4M"});
  ended_as(id, "killed", "disk_limit");
}

/// From now on, this process and its children share a hundred file watches, and others keep theirs.
void have_few_watches() {
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER) != 0) return;
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", uid + " " + uid + " 1");
  write_text("/proc/self/gid_map", gid + " " + gid + " 1");
  write_text("/proc/sys/user/max_inotify_watches", "100");
}

TEST_P(SandboxedJobTest, AgentThatTakesAllFileWatchesHidesNoOtherJob) {
  BesideProgram daemon({kLuziad, "--foreground"}, environment(), path("luziad.out"), have_few_watches);
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); }));
  const std::string greedy = dispatch(attacker_ + " watches");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/taken"); })) << output(greedy);
  const std::string id = dispatch("echo '::warning file=a.cc,line=3::odd'; " + kLuzia +
                                  " ask 'Which port?' --options http,https > answer; echo the end");
  ASSERT_TRUE(becomes(id, "waiting")) << output(id);
  EXPECT_EQ(luzia({"answer", id, "https"}).code, 0);
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "completed") << output(id);
  EXPECT_EQ(row["last_line"], "the end");
  EXPECT_EQ(row["warnings"], 1);
  EXPECT_EQ(state(greedy), "running");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(greedy)["exit_code"], 0) << output(greedy);
}

TEST_P(SandboxedJobTest, TemporaryFilesAreItsOwn) {
  const std::string id = dispatch("file=$(mktemp) && echo text > $file && cat $file && echo $TMPDIR");
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_THAT(output(id), HasSubstr("text"));
}

TEST_P(SandboxedJobTest, ChecksRunWhereTheAgentDoes) {
  fs::create_directories(home() + "/.ssh");
  write_text(home() + "/.ssh/id", "secret\n");
  const std::string id = dispatch("true", {"--verify", "! cat " + home() + "/.ssh/id"});
  const bool confined = std::string(GetParam()) != "off";
  EXPECT_EQ(ended(id)["state"], confined ? "completed" : "failed") << output(id);
}

TEST_P(SandboxedJobTest, WorktreeCanBeMadeAndCommitted) {
  const auto git = [&](Words words) {
    words.insert(words.begin(), {"/usr/bin/git", "-C", project(), "-c", "user.name=a", "-c", "user.email=b"});
    return run_to_end(words, environment()).code;
  };
  ASSERT_EQ(git({"init", "-q"}), 0);
  ASSERT_EQ(git({"commit", "-q", "--allow-empty", "-m", "first"}), 0);
  const std::string id = dispatch(
      "touch new && git add new && git -c user.name=a -c user.email=b commit -q -m done", {"--worktree"});
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_EQ(git({"rev-parse", "-q", "--verify", "luzia/" + id}), 0);
  EXPECT_FALSE(fs::exists(project() + "/new"));
}

TEST_P(SandboxedJobTest, SandboxIsShown) {
  const std::string kind = GetParam(), id = dispatch("true");
  ended(id);
  const std::string why = luzia({"why", id}).out + luzia({"job", id}).out;
  const std::string preview = luzia({"demo", "true", "--dry-run"}).out;
  if (kind == "off") {
    EXPECT_FALSE(job(id).contains("sandbox"));
    EXPECT_THAT(why, Not(HasSubstr("sandbox")));
    EXPECT_THAT(preview, HasSubstr("sandbox     off\n"));
  } else {
    EXPECT_THAT(job(id).value("sandbox", ""), testing::StartsWith(kind));
    EXPECT_THAT(why, HasSubstr("sandbox"));
    EXPECT_THAT(preview, HasSubstr("sandbox"));
  }
}

class SandboxTest : public DaemonTest {};

TEST_F(SandboxTest, LaterConfigurationDoesNotChangeAQueuedJob) {
  configure("[agents.shell]\nsandbox = \"project\"\n");
  const std::string first = dispatch("sleep 0.2");
  const std::string id = dispatch("true", {"--after", first});
  configure("[agents.shell]\nsandbox = \"off\"\n");
  EXPECT_EQ(luzia({"config", "reload"}).code, 0);
  EXPECT_THAT(ended(id).value("sandbox", ""), testing::StartsWith("project"));
}

TEST_F(SandboxTest, AgentCannotWeakenTheNextSandbox) {
  configure("[agents.shell]\nsandbox = \"project\"\n");
  const std::string id =
      dispatch(kLuzia + " demo true --sandbox off > said 2>&1; echo $? > code", {"--sandbox", "off"});
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/code"), "4\n");
  EXPECT_THAT(read_text(project() + "/said"), HasSubstr("confines its agents with sandbox 'project'"));
}

TEST_F(SandboxTest, UnknownSandboxAndNetworkAreRefused) {
  start_daemon();
  expect_refused({"demo", "true", "--sandbox", "tight"}, 2, "no sandbox is called 'tight'");
  configure("[agents.shell]\nsandbox_network = \"example.org\"\n");
  EXPECT_THAT(luzia({"config", "check"}).err + luzia({"config", "check"}).out, HasSubstr("sandbox_network"));
}

/// From now on, this process and its children can make no namespaces.
void forbid_namespaces() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

TEST_F(SandboxTest, JobThatCannotBeConfinedDoesNotRun) {
  BesideProgram daemon({kLuziad, "--foreground"}, environment(), path("luziad.out"), forbid_namespaces);
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); }));
  const Json row = ended(dispatch("touch ran", {"--sandbox", "project"}));
  EXPECT_EQ(row["state"], "failed") << row.dump();
  EXPECT_EQ(row["reason"], "start_failed");
  EXPECT_THAT(row.value("reason_text", ""), HasSubstr("sandbox_unavailable: cannot make namespaces"));
  const auto began = std::chrono::steady_clock::now();
  const Json listed = ended(dispatch("touch ran", {"--sandbox", "project", "--network", "example.org"}));
  EXPECT_EQ(listed["reason"], "start_failed");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8)) << "nothing is waited for";
  EXPECT_FALSE(fs::exists(project() + "/ran"));
  EXPECT_EQ(ended(dispatch("touch ran"))["state"], "completed") << "without a sandbox it runs";
}

TEST_F(SandboxTest, DoctorTriesWhatTheConfigurationAsksFor) {
  EXPECT_THAT(luzia({"doctor"}).out, Not(HasSubstr("confined")));
  configure("[agents.shell]\nsandbox = \"project\"\n");
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("jobs can be confined, as [agents.shell] sandbox asks"));
  BesideProgram doctor({kLuzia, "doctor"}, environment(), path("doctor.out"), forbid_namespaces);
  EXPECT_NE(doctor.end(), 0);
  EXPECT_THAT(doctor.output(), HasSubstr("[agents.shell] asks for a sandbox, and none can be made here"));
}

TEST_F(SandboxTest, DoctorMissesTheProxyOfAListOfHosts) {
  fs::copy_file(kLuzia, path("luzia"));
  const auto alone = [this] { return run_to_end({path("luzia"), "doctor"}, environment()).out; };
  configure("[agents.shell]\nsandbox = \"project\"\n");
  EXPECT_THAT(alone(), Not(HasSubstr("luzia-proxy"))) << "nothing asks for it";
  configure("[agents.shell]\nsandbox = \"project\"\nsandbox_network = [\"example.org\"]\n");
  EXPECT_THAT(alone(), HasSubstr("BAD   [agents.shell] sandbox_network names hosts, and luzia-proxy"));
  EXPECT_THAT(luzia({"doctor"}).out, Not(HasSubstr("luzia-proxy"))) << "it is there";
}

}  // namespace
}  // namespace luzia
