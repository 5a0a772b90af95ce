// Preflight checks: they run before the agent, in its directory, within their time limit.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

class PreflightChecks : public AttemptTest {
 protected:
  std::string log() const { return read_text(job_dir() + "/preflight.log"); }
};

TEST_F(PreflightChecks, AgentRunsWhenAllPass) {
  LaunchSpec spec = shell("echo agent");
  spec.preflight = {"echo first; cat", "echo second >&2; pwd"};
  const auto end = run(spec);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_FALSE(end.preflight_failed);
  EXPECT_EQ(log(), "first\nsecond\n" + std::filesystem::canonical(work_dir()).string() + "\n");
  EXPECT_EQ(output(), "agent\n\nexit:0\n");
}

TEST_F(PreflightChecks, FailedCheckPreventsTheStart) {
  LaunchSpec spec = shell("touch $S/agent-ran");
  spec.preflight = {"true", "echo no good; exit 3", "touch $S/third-ran"};
  const Claim claim = start(spec);
  EXPECT_EQ(claim.agent.pid, 0u);
  const auto end = end_of(spec);
  EXPECT_TRUE(end.preflight_failed);
  EXPECT_EQ(end.start_error, "preflight check 'echo no good; exit 3' failed: exit 3: no good");
  EXPECT_EQ(end.exit_code, std::nullopt);
  EXPECT_FALSE(exists(path("agent-ran")));
  EXPECT_FALSE(exists(path("third-ran")));
  EXPECT_EQ(log(), "no good\n");
  EXPECT_EQ(output(), "\nexit:126\n");
}

TEST_F(PreflightChecks, CheckKilledBySignalFails) {
  LaunchSpec spec = shell("true");
  spec.preflight = {"kill -TERM $$"};
  EXPECT_EQ(run(spec).start_error, "preflight check 'kill -TERM $$' failed: killed by signal 15");
}

TEST_F(PreflightChecks, TimedOutCheckFailsAndLeavesNothingRunning) {
  LaunchSpec spec = shell("true");
  spec.preflight = {publish("first", "$$") + "setsid sh -c '" + publish("second", "$$") +
                    "sleep 1000' & sleep 1000"};
  spec.preflight_timeout_ms = 3'000;  // long enough for it to have begun
  start(spec);
  const ProcessId check = wait_for_process("first");
  const auto end = end_of(spec);
  EXPECT_TRUE(end.preflight_failed);
  EXPECT_THAT(end.start_error, HasSubstr("failed: timed out after 3000 ms"));
  EXPECT_FALSE(is_alive(check));
  EXPECT_TRUE(!exists(path("second")) || !is_alive(wait_for_process("second")));
}

TEST_F(PreflightChecks, MissingDirectoryFailsTheCheck) {
  LaunchSpec spec = shell("true");
  spec.working_dir = path("nowhere");
  spec.preflight = {"true"};
  const auto end = run(spec);
  EXPECT_TRUE(end.preflight_failed);
  EXPECT_EQ(end.start_error, "preflight check 'true' failed: cannot enter '" + path("nowhere") +
                                 "': No such file or directory; make it so that the job's user may enter it");
}

TEST_F(PreflightChecks, ErrorIsOneLineOfUtf8) {
  LaunchSpec spec = shell("true");
  spec.preflight = {"false # two\nlines \"quoted\" \xff\xc3\xa4\t" + std::string(3000, 'x') + "\xe2\x82\xac"};
  const auto end = run(spec);
  EXPECT_THAT(end.start_error, HasSubstr("preflight check 'false # two lines \"quoted\" ?\xc3\xa4 xxx"));
  EXPECT_THAT(end.start_error, HasSubstr("xxx' failed: exit 1"));
  EXPECT_THAT(read_text(job_dir() + "/exit.json"), HasSubstr("two lines \\\"quoted\\\" ?\xc3\xa4 xxx"));
}

TEST_F(PreflightChecks, StopDuringACheckPreventsTheStart) {
  for (const auto force : {StopForce::polite, StopForce::forced}) {
    LaunchSpec spec = shell("touch $S/agent-ran");
    spec.attempt = force == StopForce::polite ? 1 : 2;
    const std::string name = "checking" + std::to_string(spec.attempt);
    spec.preflight = {publish(name, "$$") + "sleep 1000"};
    const Claim claim = start(spec);
    const ProcessId check = wait_for_process(name);
    EXPECT_TRUE(stop_attempt(claim, force));
    const auto end = end_of(spec);
    EXPECT_FALSE(is_alive(check));
    EXPECT_THAT(end.start_error, HasSubstr("stopped during preflight check '"));
    EXPECT_FALSE(end.preflight_failed);
    EXPECT_EQ(end.signal, force == StopForce::polite ? SIGTERM : SIGKILL);
    EXPECT_FALSE(exists(path("agent-ran")));
  }
}

TEST_F(PreflightChecks, PoliteThenForcedStopEndsACheck) {
  LaunchSpec spec = shell("touch $S/agent-ran");
  spec.preflight = {"trap 'touch $S/asked' TERM; " + publish("checking", "$$") +
                    "while [ ! -e $S/tidy ]; do sleep 0.01; done; touch $S/tidied"};
  const Claim claim = start(spec);
  const ProcessId check = wait_for_process("checking");
  EXPECT_TRUE(stop_attempt(claim, StopForce::polite));
  wait_for_text("asked");
  EXPECT_TRUE(is_alive(check));
  write_text(path("tidy"), "");
  EXPECT_THAT(end_of(spec).start_error, HasSubstr("stopped during preflight check '"));
  EXPECT_TRUE(exists(path("tidied")));

  spec.attempt = 2;
  spec.preflight = {"trap 'touch $S/deaf' TERM; " + publish("again", "$$") + "while :; do sleep 0.01; done"};
  const Claim second = start(spec);
  wait_for_process("again");
  EXPECT_TRUE(stop_attempt(second, StopForce::polite));
  wait_for_text("deaf");
  EXPECT_TRUE(stop_attempt(second, StopForce::forced));
  EXPECT_EQ(end_of(spec).signal, SIGKILL);
  EXPECT_FALSE(exists(path("agent-ran")));
}

// luzia-run is stopped (SIGSTOP) while both happen, so that it finds both at once.
TEST_F(PreflightChecks, StopAsACheckEndsPreventsTheStart) {
  LaunchSpec spec = shell("touch $S/agent-ran");
  spec.preflight = {
      "kill -STOP $PPID; kill -TERM $PPID; r=$PPID; "
      "(while ! grep -q '^State:.Z' /proc/$$/status; do sleep 0.01; done; kill -CONT $r) & exit 0"};
  const auto end = run(spec);
  EXPECT_THAT(end.start_error, HasSubstr("stopped during preflight check '"));
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_FALSE(exists(path("agent-ran")));
}

TEST_F(PreflightChecks, CheckDiesWithItsLuziaRun) {
  LaunchSpec spec = shell("touch $S/agent-ran");
  spec.preflight = {publish("checking", "$$") + "while :; do sleep 0.01; done"};
  const Claim claim = start(spec);
  const ProcessId check = wait_for_process("checking");
  ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), SIGKILL), 0);
  EXPECT_TRUE(wait_until([&] { return !is_alive(check); }));
  EXPECT_FALSE(exists(path("agent-ran")));
}

TEST_F(PreflightChecks, LeftoverProcessesAreFoundByAttemptAndUser) {
  // A name used by this run of the test only.
  const std::string job = "checked" + std::to_string(::getpid());
  LaunchSpec spec = shell(publish("agent", "$$") + "sleep 1000");
  spec.env.push_back("LUZIA_JOB_ID=" + job);
  spec.attempt = 2;
  spec.env.emplace_back("LUZIA_ATTEMPT=2");
  start(spec);
  const ProcessId agent = wait_for_process("agent");
  spec.attempt = 1;
  spec.env.back() = "LUZIA_ATTEMPT=1";
  // A second attempt never starts in a directory with a live attempt.
  spec.job_dir = path("jobs/j2");
  ::mkdir(spec.job_dir.c_str(), 0700);
  write_text(spec.job_dir + "/prompt.txt", "");
  spec.preflight = {"setsid sh -c '" + publish("left", "$$") + "env -i sleep 1000; :' & true",
                    publish("checking", "$$") + "sleep 1000"};
  const Claim claim = start(spec);
  const ProcessId left = wait_for_process("left");
  wait_for_process("checking");
  ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return !is_claim_held(run_dir(), spec.job, 1); }));
  kill_left_by_checks(job, 1, spec.uid + 1);
  EXPECT_TRUE(is_alive(left));
  kill_left_by_checks(job, 1, spec.uid);
  EXPECT_TRUE(wait_until([&] { return !is_alive(left); }));
  EXPECT_TRUE(is_alive(agent));
}

TEST_F(PreflightChecks, LaunchDoesNotWaitForChecks) {
  LaunchSpec spec = shell("echo late");
  spec.preflight = {"while [ ! -e $S/go ]; do sleep 0.01; done"};
  // Twice, as after a crash: the second launch finds the attempt claimed.
  for (int i = 0; i < 2; ++i) {
    auto launched = std::async(
        std::launch::async, [&] { return Launcher(runner_program(), std::chrono::hours(1)).launch(spec); });
    const bool returned =
        wait_until([&] { return launched.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    if (!returned) write_text(path("go"), "");
    EXPECT_TRUE(returned) << "it waits for the checks";
    const auto claim = launched.get();
    ASSERT_TRUE(claim) << claim.error().message;
    EXPECT_EQ(claim->agent.pid, 0u);
    EXPECT_TRUE(is_alive(claim->runner));
  }
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 0);
  EXPECT_NE(claim_of(spec).agent.pid, 0u);
}

}  // namespace
}  // namespace luzia
