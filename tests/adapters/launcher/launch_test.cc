// What an agent is started with, and what is recorded when it exits.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

constexpr auto kFixCommand = "; install it, or fix the agent's command and dispatch the task again";

class Launch : public AttemptTest {};

TEST_F(Launch, ExitCodeOfTheAgentIsRecorded) {
  for (const int code : {0, 3, 255}) {
    LaunchSpec spec = shell("exit " + std::to_string(code));
    spec.attempt = static_cast<std::uint32_t>(code) + 1;
    const auto end = run(spec);
    EXPECT_EQ(end.exit_code, code);
    EXPECT_EQ(end.attempt, spec.attempt);
    EXPECT_EQ(end.signal, 0);
    EXPECT_EQ(end.start_error, "");
    EXPECT_FALSE(end.evidence_lost);
  }
}

TEST_F(Launch, SignalGivesNoExitCode) {
  const auto end = run(shell("echo last words; kill -KILL $$"));
  EXPECT_EQ(end.exit_code, std::nullopt);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_FALSE(end.core_dumped);
  EXPECT_EQ(output(), "last words\n\nexit:-9\n");
}

// Whether a core is dumped depends on the machine, so the test compares with what the kernel tells another
// parent.
TEST_F(Launch, CoreFlagComesFromTheKernel) {
  const std::string script = "cd " + work_dir() + "; ulimit -c unlimited; kill -SEGV $$";
  ::signal(SIGCHLD, SIG_DFL);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::signal(SIGCHLD, SIG_IGN);
  ASSERT_TRUE(WIFSIGNALED(status));

  const auto end = run(shell(script));
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.core_dumped, static_cast<bool>(WCOREDUMP(status)));
}

/// Microseconds from a time as the shell's `times` prints it: "0m0.120000s".
std::uint64_t microseconds(const std::string& printed) {
  const std::size_t minutes_end = printed.find('m');
  return static_cast<std::uint64_t>(
      (std::stod(printed.substr(0, minutes_end)) * 60 + std::stod(printed.substr(minutes_end + 1))) * 1e6);
}

TEST_F(Launch, UsageCoversTheAgentAndReapedChildren) {
  // Only the child works; it prints the time that it used.
  const auto end = run(shell("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; times >$S/used'"));
  std::string user, system;
  std::istringstream(read_text(path("used"))) >> user >> system;
  ASSERT_GT(microseconds(user), 20'000u) << "the loop is too short to measure";
  EXPECT_GE(end.user_us + end.system_us, (microseconds(user) + microseconds(system)) * 9 / 10);
  EXPECT_GE(end.wall_us, microseconds(user) / 2);
  EXPECT_GT(end.max_rss_kib, 100u);
  EXPECT_GT(end.ended_us, 1'700'000'000'000'000);
}

TEST_F(Launch, MissingProgramIsAStartError) {
  LaunchSpec launched = spec({"no-such-agent"});
  const Claim claim = start(launched);
  EXPECT_EQ(claim.agent.pid, 0u);
  EXPECT_NE(claim.runner.pid, 0u);
  const auto end = end_of(launched);
  EXPECT_EQ(end.start_error,
            std::string("cannot run 'no-such-agent': No such file or directory") + kFixCommand);
  EXPECT_FALSE(end.preflight_failed);
  EXPECT_EQ(end.exit_code, std::nullopt);
  EXPECT_EQ(output(), "\nexit:127\n");
}

TEST_F(Launch, ProgramWithoutPermissionIsAStartError) {
  write_text(path("plain"), "#!/bin/sh\n");
  const auto end = run(spec({path("plain")}));
  EXPECT_EQ(end.start_error, "cannot run '" + path("plain") + "': Permission denied" + kFixCommand);
  EXPECT_EQ(output(), "\nexit:126\n");
}

TEST_F(Launch, MissingWorkingDirectoryIsAStartError) {
  LaunchSpec spec = shell("true");
  spec.working_dir = path("nowhere");
  EXPECT_EQ(run(spec).start_error,
            "cannot enter '" + path("nowhere") +
                "': No such file or directory; make it so that the job's user may enter it");
}

TEST_F(Launch, ProgramIsSearchedOnTheAgentsPath) {
  std::filesystem::create_directories(path("bin"));
  write_text(path("bin/my-agent"), "#!/bin/sh\necho found \"$1\"\n");
  std::filesystem::permissions(path("bin/my-agent"), std::filesystem::perms::owner_all);
  LaunchSpec spec = this->spec({"my-agent", "two words"});
  spec.env = {"PATH=/nowhere:" + path("bin")};
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_THAT(output(), StartsWith("found two words\n"));
}

TEST_F(Launch, ProgramThatMayNotBeRunIsPassedOverOnThePath) {
  std::filesystem::create_directories(path("closed"));
  write_text(path("closed/my-agent"), "#!/bin/sh\n");
  write_text(path("work/my-agent"), "#!/bin/sh\necho from the directory\n");
  std::filesystem::permissions(path("work/my-agent"), std::filesystem::perms::owner_all);
  LaunchSpec spec = this->spec({"my-agent"});
  spec.env = {"PATH=" + path("work/my-agent") + ':' + path("closed") + "::/nowhere"};  // "": the directory
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_THAT(output(), StartsWith("from the directory\n"));
  spec.attempt = 2;
  spec.env = {"PATH=" + path("closed") + ":/nowhere"};
  EXPECT_EQ(run(spec).start_error, std::string("cannot run 'my-agent': Permission denied") + kFixCommand);
}

TEST_F(Launch, ScriptWithoutItsInterpreterRunsInAShell) {
  std::filesystem::create_directories(path("bin"));
  write_text(path("bin/old"), "echo \"$0: $1, $2\"\n");
  std::filesystem::permissions(path("bin/old"), std::filesystem::perms::owner_all);
  LaunchSpec spec = this->spec({"old", "two words", ""});
  spec.env = {"PATH=" + path("bin")};
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_THAT(output(), StartsWith(path("bin/old") + ": two words, \n"));
}

TEST_F(Launch, WithoutAPathProgramsAreSearchedInTheUsualFolders) {
  LaunchSpec spec = this->spec({"echo", "found"});
  spec.env = {"A=1"};
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_THAT(output(), StartsWith("found\n"));
}

TEST_F(Launch, EnvironmentIsExactlyAsGiven) {
  LaunchSpec spec = this->spec({"/usr/bin/env", "-0"});
  spec.env = {"B=2",          "A=", "LINES=a\nb", "EQUALS=x=y=z", "@AT=@", "UNICODE=\xc3\xa4\xe2\x82\xac",
              "LD_BIND_NOW=1"};
  EXPECT_EQ(run(spec).exit_code, 0);
  std::string expected;
  for (const std::string& entry : spec.env) expected += entry + '\0';
  EXPECT_EQ(output(), expected + "\nexit:0\n");
}

TEST_F(Launch, SecretsReachTheAgentAndNoCommandLineOrFile) {
  LaunchSpec spec = shell(
      "echo \"$TOKEN-$EMPTY\"; tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' '\\n' < "
      "/proc/$PPID/cmdline; ls /proc/self/fd");
  spec.env = {"PATH=/usr/bin:/bin"};
  spec.secrets = {"TOKEN=s3cr3t\nvalue", "EMPTY="};
  EXPECT_EQ(run(spec).exit_code, 0);
  const std::string text = output();
  EXPECT_THAT(text, StartsWith("s3cr3t\nvalue-\n"));
  EXPECT_EQ(text.find("s3cr3t", 1), std::string::npos)
      << "luzia-run's own environment and command line: " << text;
  EXPECT_THAT(text, HasSubstr("\n0\n1\n2\n3\n\nexit:0\n")) << "the agent inherits no descriptor: " << text;
}

TEST_F(Launch, LivingRunnerTellsALaterDaemonItsSecrets) {
  LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.02; done");
  spec.secrets = {"TOKEN=value", "OTHER=x=y"};
  const Claim claim = start(spec);
  EXPECT_EQ(secrets_held_by(claim.runner), spec.secrets);
  EXPECT_EQ(secrets_held_by({claim.runner.pid, claim.runner.start + 1}), std::nullopt) << "another process";
  write_text(path("go"), "");
  end_of(spec);
  EXPECT_EQ(secrets_held_by(claim.runner), std::nullopt);
}

TEST_F(Launch, RunnerWithoutSecretsHoldsNone) {
  LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.02; done");
  const Claim claim = start(spec);
  EXPECT_EQ(secrets_held_by(claim.runner), std::nullopt);
  write_text(path("go"), "");
  end_of(spec);
}

TEST_F(Launch, AgentStartsInItsWorkingDirectoryWithUmask022) {
  EXPECT_EQ(run(shell("pwd -P; umask")).exit_code, 0);
  EXPECT_EQ(output(), std::filesystem::canonical(work_dir()).string() + "\n0022\n\nexit:0\n");
}

TEST_F(Launch, AgentSeesOnlyTheStandardDescriptors) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as a careless library would
  const int far = ::fcntl(leaked, F_DUPFD, 200);
  run(spec({"/bin/ls", "/proc/self/fd"}));
  EXPECT_EQ(output(), "0\n1\n2\n3\n\nexit:0\n");  // 3: ls reading that folder
  ::close(far);
  ::close(leaked);
}

TEST_F(Launch, SignalsAreUnblockedAndDefault) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto* const pipe_before = ::signal(SIGPIPE, SIG_IGN);
  run(spec({"/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
  ::signal(SIGPIPE, pipe_before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  unsigned long long blocked_in_agent = 1;
  unsigned long long ignored_in_agent = 1;
  ASSERT_EQ(std::sscanf(output().c_str(), "SigBlk: %llx SigIgn: %llx", &blocked_in_agent, &ignored_in_agent),
            2);
  EXPECT_EQ(blocked_in_agent, 0u);
  constexpr unsigned long long kOfTheCLibrary =
      3ULL << 31;  // signals 32 and 33 belong to glibc, whose posix_spawn ignores them
  EXPECT_EQ(ignored_in_agent & ~kOfTheCLibrary, 0u);
}

TEST_F(Launch, AgentLeadsItsOwnSessionWithoutATerminal) {
  const Claim claim = start(spec({"/bin/cat", "/proc/self/stat"}));
  end_of(spec({"/bin/cat"}));
  char name[64];
  int pid = 0, parent = 0, group = 0, session = 0, terminal = 0;
  ASSERT_EQ(std::sscanf(output().c_str(), "%d %63s %*c %d %d %d %d", &pid, name, &parent, &group, &session,
                        &terminal),
            6);
  EXPECT_EQ(static_cast<std::uint32_t>(pid), claim.agent.pid);
  EXPECT_EQ(static_cast<std::uint32_t>(parent), claim.runner.pid);
  EXPECT_EQ(group, pid);
  EXPECT_EQ(session, pid);
  EXPECT_EQ(terminal, 0);
  EXPECT_EQ(read_text(job_dir() + "/pid"), std::to_string(pid) + "\n");
}

TEST_F(Launch, PromptIsTheInput) {
  const std::string prompt = std::string("line\n\0binary \xff\n", 15) + std::string(100'000, 'x');
  run(spec({"/bin/cat"}, prompt));
  EXPECT_EQ(output(), prompt + "\nexit:0\n");
}

TEST_F(Launch, WithoutAPromptTheInputIsEmpty) {
  LaunchSpec spec = this->spec({"/bin/cat"});
  spec.stdin_prompt = false;
  run(spec);
  EXPECT_EQ(output(), "\nexit:0\n");
}

TEST_F(Launch, OutputIsAppendedAndErrorsGoToTheSameFile) {
  LaunchSpec spec = shell("echo one; echo two >&2; echo three");
  write_text(job_dir() + "/output.log", "before\n");
  const auto end = run(spec);
  EXPECT_EQ(output(), "before\none\ntwo\nthree\n\nexit:0\n");
  EXPECT_EQ(end.output_bytes, output().size() - 8);
}

TEST_F(Launch, TwoMegabyteBurstArrives) {
  const auto end = run(shell("head -c 2097152 /dev/zero"));
  EXPECT_EQ(end.output_bytes, 2097152u);
  EXPECT_EQ(output(), std::string(2097152, '\0') + "\nexit:0\n");
}

TEST_F(Launch, ExitRecordPrecedesTheExitLine) {
  for (std::uint32_t attempt = 1; attempt <= 20; ++attempt) {
    LaunchSpec spec = shell("echo done");
    spec.attempt = attempt;
    std::filesystem::remove(job_dir() + "/output.log");
    start(spec);
    ASSERT_TRUE(wait_until([&] { return output() == "done\n\nexit:0\n"; })) << output();
    const auto record = read_exit_record(spec.run_dir, spec.job, attempt);
    ASSERT_TRUE(record && record->has_value());
    EXPECT_EQ((*record)->output_bytes, 5u);
    EXPECT_THAT(read_text(job_dir() + "/exit.json"),
                HasSubstr("\"attempt\":" + std::to_string(attempt) + ","));
  }
}

TEST_F(Launch, ExitJsonEqualsTheRecord) {
  const auto end = run(shell("exit 7"));
  const std::string json = read_text(job_dir() + "/exit.json");
  EXPECT_THAT(
      json,
      StartsWith("{\"job\":\"j1\",\"attempt\":1,\"exit_code\":7,\"signal\":null,\"core_dumped\":false,"));
  EXPECT_THAT(json, HasSubstr("\"wall_us\":" + std::to_string(end.wall_us) + ","));
  EXPECT_THAT(json, HasSubstr("\"ended_us\":" + std::to_string(end.ended_us) + ","));
  EXPECT_THAT(json, HasSubstr("\"start_error\":null}"));
}

TEST_F(Launch, AttemptOutlivesTheProcessThatLaunchedIt) {
  const LaunchSpec spec = shell(publish("ready", "$$") + "while [ ! -e $S/go ]; do sleep 0.01; done; exit 9");
  const pid_t other = ::fork();
  if (other == 0) {
    // _exit: gtest's work at exit is the parent's alone.
    ::_exit(Launcher(runner_program()).launch(spec) ? 0 : 1);
  }
  const ProcessId agent = wait_for_process("ready");
  ASSERT_TRUE(wait_until([&] { return ::kill(other, 0) != 0; }));
  EXPECT_TRUE(is_alive(agent));
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 9);
}

}  // namespace
}  // namespace luzia
