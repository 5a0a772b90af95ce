// Checks that prove an agent's work: they run after it, in its directory, and their output is the job's.
#include <signal.h>

#include <chrono>

#include "adapters/launcher/process_table.h"
#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using Verification = AttemptTest;

TEST_F(Verification, PassedChecksProveTheWork) {
  LaunchSpec spec = shell("echo working; echo done > result");
  spec.verify = {"cat result", "echo $LUZIA_TEST"};
  spec.env.emplace_back("LUZIA_TEST=same environment");
  const auto end = run(spec);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.verified, std::optional(true));
  EXPECT_EQ(end.checks_from, std::string("working\n").size());
  EXPECT_EQ(end.check_error, "");
  EXPECT_EQ(output(),
            "working\n\ncheck: cat result\ndone\n\ncheck: echo $LUZIA_TEST\nsame environment\n\nexit:0\n");
  EXPECT_EQ(end.output_bytes + std::string("\nexit:0\n").size(), output().size());
}

TEST_F(Verification, FirstFailedCheckRefutesTheWork) {
  LaunchSpec spec = shell("echo working");
  spec.verify = {"true", "echo 2 tests failed; exit 3", "touch $S/third-ran"};
  const auto end = run(spec);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.verified, std::optional(false));
  EXPECT_EQ(end.check_error, "check 'echo 2 tests failed; exit 3' failed: exit 3: 2 tests failed");
  EXPECT_EQ(end.start_error, "");
  EXPECT_FALSE(exists(path("third-ran")));
  EXPECT_THAT(read_text(job_dir() + "/exit.json"),
              HasSubstr("\"checks_from\":8,\"verified\":false,\"check_error\":\"check 'echo 2 tests"));
}

TEST_F(Verification, CommentNamesACheck) {
  LaunchSpec spec = shell("echo working");
  spec.verify = {"# \nexit 0", "#no name\ntrue", "# it's good\n\necho no; exit 3"};
  const auto end = run(spec);
  EXPECT_EQ(end.check_error, "check 'it's good' failed: exit 3: no");
  EXPECT_EQ(output(),
            "working\n\ncheck: #  exit 0\n\ncheck: #no name true\n\ncheck: it's good\nno\n\nexit:0\n");
}

TEST_F(Verification, FailedOrKilledAgentIsNotChecked) {
  for (const char* way : {"exit 1", "kill -9 $$"}) {
    LaunchSpec spec = shell(way);
    spec.attempt = way[0] == 'e' ? 1 : 2;
    spec.verify = {"touch $S/checked"};
    EXPECT_EQ(run(spec).verified, std::nullopt) << way;
    EXPECT_FALSE(exists(path("checked"))) << way;
  }
}

TEST_F(Verification, WhatAnAgentLeftRunningDoesNotDisturbTheChecks) {
  LaunchSpec spec = shell(publish("left", "$$") + "setsid sleep 1000 & " + publish("left", "$!") + ":");
  spec.verify = {"! kill -0 $(cat $S/left) 2> /dev/null"};
  const auto end = run(spec);
  EXPECT_EQ(end.verified, std::optional(true)) << end.check_error;
  EXPECT_EQ(end.leftovers_killed, 1u);
}

TEST_F(Verification, TimedOutCheckRefutesAndLeavesNothingRunning) {
  LaunchSpec spec = shell("true");
  spec.verify = {publish("checking", "$$") + "sleep 1000"};
  spec.verify_timeout_ms = 1'000;
  start(spec);
  const ProcessId check = wait_for_process("checking");
  const auto end = end_of(spec);
  EXPECT_EQ(end.verified, std::optional(false));
  EXPECT_THAT(end.check_error, HasSubstr("timed out after 1000 ms"));
  EXPECT_FALSE(is_alive(check));
}

TEST_F(Verification, StoppedVerificationProvesAndRefutesNothing) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const std::string name = "checking-" + std::to_string(signal);
    LaunchSpec spec = shell("true");
    spec.attempt = static_cast<std::uint32_t>(signal);
    spec.verify = {publish(name, "$$") + "sleep 1000"};
    const Claim claim = start(spec);
    wait_for_process(name);
    ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), signal), 0);
    const auto end = end_of(spec);
    EXPECT_EQ(end.verified, std::nullopt);
    EXPECT_EQ(end.exit_code, 0) << "of the agent";
  }
}

TEST_F(Verification, BeginOfTheChecksIsKnownWhileTheyRunAndAfterwards) {
  LaunchSpec spec = shell("echo working");
  EXPECT_EQ(read_checks_from(run_dir(), spec.job, 1), std::nullopt);
  spec.verify = {publish("checking", "$$") + "sleep 1000"};
  const Claim claim = start(spec);
  wait_for_process("checking");
  EXPECT_EQ(read_checks_from(run_dir(), spec.job, 1), std::optional<std::uint64_t>(8));
  ASSERT_TRUE(stop_attempt(claim, StopForce::forced));
  EXPECT_EQ(end_of(spec).checks_from, 8U) << "though they were stopped";
  EXPECT_EQ(read_checks_from(run_dir(), spec.job, 1), std::optional<std::uint64_t>(8));
  EXPECT_THAT(read_text(job_dir() + "/exit.json"), HasSubstr("\"checks_from\":8,\"start_error\":null"));
}

TEST_F(Verification, PauseStopsTheChecksAndTheirTime) {
  LaunchSpec spec = shell("true");
  spec.verify = {"setsid -w sh -c '" + publish("below", "$$") + "while [ ! -e $S/go ]; do sleep 0.01; done'"};
  spec.verify_timeout_ms = 3'000;
  const Claim claim = start(spec);
  const ProcessId below = wait_for_process("below");
  const auto stands = [&below] {
    ProcessStat stat;
    return read_process(static_cast<pid_t>(below.pid), stat) && stat.state == 'T';
  };
  ASSERT_TRUE(pause_attempt(claim, true));
  ASSERT_TRUE(wait_until(stands));
  write_text(path("go"), "");
  const auto timed_out = Clock::now() + std::chrono::milliseconds(spec.verify_timeout_ms + 500);
  ASSERT_TRUE(wait_until([&] { return Clock::now() > timed_out; }));
  EXPECT_TRUE(stands());
  ASSERT_TRUE(pause_attempt(claim, false));
  const auto end = end_of(spec);
  EXPECT_EQ(end.verified, std::optional(true)) << end.check_error;
}

TEST_F(Verification, PausedCheckCanBeStopped) {
  for (const auto force : {StopForce::polite, StopForce::forced}) {
    const std::string name = force == StopForce::polite ? "asked" : "forced";
    LaunchSpec spec = shell("true");
    spec.attempt = force == StopForce::polite ? 1 : 2;
    spec.verify = {publish(name, "$$") + "sleep 1000"};
    const Claim claim = start(spec);
    const ProcessId check = wait_for_process(name);
    ASSERT_TRUE(pause_attempt(claim, true));
    ASSERT_TRUE(stop_attempt(claim, force));
    EXPECT_EQ(end_of(spec).verified, std::nullopt);
    EXPECT_FALSE(is_alive(check));
  }
}

TEST_F(Verification, AnyBytesInACommandStayWithinTheirLines) {
  LaunchSpec spec = shell("printf 'no end of line'");
  spec.verify = {"printf '\\033[31mred'; # \x1b[2J\n\xff\xc3\xa4\nfalse"};
  const auto end = run(spec);
  EXPECT_EQ(end.verified, std::optional(false));
  EXPECT_THAT(output(), HasSubstr("no end of line\ncheck: printf '\\033[31mred'; #  [2J ?\xc3\xa4 false\n"));
  EXPECT_EQ(end.check_error.find('\n'), std::string::npos);
  EXPECT_EQ(end.check_error.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace luzia
