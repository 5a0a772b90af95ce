// Stopping an attempt: every descendant is signaled, once, and no foreign process.
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"
#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

class Stop : public AttemptTest {
 protected:
  bool dies(const ProcessId& process) {
    return wait_until([&] { return !is_alive(process); });
  }
  char state_of(const ProcessId& process) {
    ProcessStat stat;
    return read_process(static_cast<pid_t>(process.pid), stat) ? stat.state : '-';
  }
  void kill_runner(const Claim& claim) {
    ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), SIGKILL), 0);
    ASSERT_TRUE(dies(claim.runner));
  }
};

// Script text for a process that leaves the agent's session and whose parent exits.
std::string runaway(const std::string& name, const std::string& first = "") {
  return "(setsid sh -c '" + first + publish(name, "$$") + "sleep 1000; sleep 1000' &) ; ";
}

TEST_F(Stop, PoliteStopReachesDescendantsThatLeftTheSession) {
  const LaunchSpec spec = shell(runaway("runaway") + publish("agent", "$$") + "sleep 1000");
  const Claim claim = start(spec);
  const ProcessId runaway_process = wait_for_process("runaway");
  wait_for_process("agent");
  ASSERT_TRUE(is_alive(runaway_process));
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  const auto end = end_of(spec);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.exit_code, std::nullopt);
  EXPECT_FALSE(is_alive(runaway_process));
}

TEST_F(Stop, PoliteStopSignalsTheAgentOnce) {
  // Waits for the child's exec: between fork and exec the child would swallow the signal as a copy of the
  // shell. The shell reports a child killed by a signal if it sees that before its own signal.
  const LaunchSpec spec =
      shell("exec 2>/dev/null; trap 'echo asked' TERM; sh -c '" + publish("child", "$$") +
            "exec sleep 1000' & " + publish("ready", "$$") + "wait; echo cleaning up; " +
            publish("cleaning", "$$") + "while [ ! -e $S/go ]; do sleep 0.01; done; exit 5");
  const Claim claim = start(spec);
  wait_for_process("child");
  wait_for_process("ready");
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  wait_for_process("cleaning");
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 5);
  EXPECT_EQ(output(), "asked\ncleaning up\n\nexit:5\n");
}

TEST_F(Stop, ForcedStopKillsWhatIgnoresThePoliteOne) {
  const LaunchSpec spec = shell("trap '' TERM HUP INT; " + runaway("runaway", "trap \"\" TERM; ") +
                                publish("agent", "$$") + "sleep 1000; sleep 1000");
  const Claim claim = start(spec);
  const ProcessId runaway_process = wait_for_process("runaway");
  const ProcessId agent = wait_for_process("agent");
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  EXPECT_TRUE(is_alive(agent));
  EXPECT_TRUE(is_alive(runaway_process));
  ASSERT_TRUE(stop_attempt(claim, StopForce::forced));
  const auto end = end_of(spec);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_FALSE(is_alive(runaway_process));
  EXPECT_EQ(output(), "\nexit:-9\n");
}

TEST_F(Stop, ChildrenOfAStoppedShellMaySaveTheirWork) {
  const std::string child = "trap \"while [ ! -e $S/go ]; do sleep 0.01; done; echo saved; exit\" TERM; ";
  const LaunchSpec spec =
      shell("sh -c '" + child + publish("child", "$$") + "while :; do sleep 0.01; done' & " +
            publish("agent", "$$") + "sleep 1000; :");
  const Claim claim = start(spec);
  wait_for_process("child");
  const ProcessId agent = wait_for_process("agent");
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  ASSERT_TRUE(wait_until([&] { return !is_alive(agent); }));
  write_text(path("go"), "");
  const auto end = end_of(spec);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.leftovers_killed, 0u);
  EXPECT_THAT(output(), HasSubstr("saved\n"));
}

TEST_F(Stop, ForcedStopKillsTheStoppedAgentsChildren) {
  const LaunchSpec spec =
      shell(runaway("runaway", "trap \"\" TERM; ") + publish("agent", "$$") + "sleep 1000");
  const Claim claim = start(spec);
  const ProcessId runaway_process = wait_for_process("runaway");
  const ProcessId agent = wait_for_process("agent");
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  ASSERT_TRUE(wait_until([&] { return !is_alive(agent); }));
  EXPECT_TRUE(is_alive(runaway_process));
  ASSERT_TRUE(stop_attempt(claim, StopForce::forced));
  const auto end = end_of(spec);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_GE(end.leftovers_killed, 1u);
  EXPECT_FALSE(is_alive(runaway_process));
}

TEST_F(Stop, DescendantsLeftAtTheEndAreKilledAndCounted) {
  const LaunchSpec spec = shell("setsid sleep 1000 & echo $! >$S/one; sleep 1000 & echo $! >$S/two; exit 4");
  const auto end = run(spec);
  EXPECT_EQ(end.exit_code, 4);
  EXPECT_EQ(end.leftovers_killed, 2u);
  EXPECT_EQ(process_start_time(static_cast<std::uint32_t>(std::stoul(read_text(path("one"))))), std::nullopt);
  EXPECT_EQ(process_start_time(static_cast<std::uint32_t>(std::stoul(read_text(path("two"))))), std::nullopt);
}

TEST_F(Stop, ChildrenCreatedDuringTheKillAreKilled) {
  // Two generations of a process that replaces itself as fast as it can.
  write_text(path("restless"),
             "#!/bin/sh\ntrap '' TERM\n[ -e $S/stop ] && exit\n\"$0\" &\nexec sleep 0.01\n");
  std::filesystem::permissions(path("restless"), std::filesystem::perms::owner_all);
  const LaunchSpec spec = shell("setsid $S/restless & " + publish("agent", "$$") + "sleep 1000");
  const Claim claim = start(spec);
  wait_for_process("agent");
  ASSERT_TRUE(stop_attempt(claim, StopForce::forced));
  EXPECT_EQ(end_of(spec).signal, SIGKILL);
  ProcessTable table;
  table.scan();
  for (const ProcessTable::Entry& entry : table) {
    const std::string command = read_text("/proc/" + std::to_string(entry.stat.pid) + "/cmdline");
    EXPECT_EQ(command.find(path("restless")), std::string::npos) << entry.stat.pid;
  }
  write_text(path("stop"), "");
}

TEST_F(Stop, OtherSignalsToLuziaRunAreIgnored) {
  const LaunchSpec spec = shell(publish("agent", "$$") + "while [ ! -e $S/go ]; do sleep 0.01; done; exit 0");
  const Claim claim = start(spec);
  const ProcessId agent = wait_for_process("agent");
  for (const int signal :
       {SIGINT, SIGHUP, SIGQUIT, SIGUSR2, SIGPIPE, SIGALRM, SIGCHLD, SIGRTMIN, SIGRTMIN + 1, SIGRTMAX}) {
    ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), signal), 0);
  }
  EXPECT_TRUE(is_alive(agent));
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 0);
}

TEST_F(Stop, StoppedLuziaRunIsContinuedToPassTheSignal) {
  const LaunchSpec spec = shell(publish("agent", "$$") + "sleep 1000");
  const Claim claim = start(spec);
  wait_for_process("agent");
  ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), SIGSTOP), 0);
  ASSERT_TRUE(wait_until([&] { return state_of(claim.runner) == 'T'; }));
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  EXPECT_EQ(end_of(spec).signal, SIGTERM);
}

TEST_F(Stop, AgentWithoutLuziaRunIsStoppedDirectly) {
  for (const auto force : {StopForce::polite, StopForce::forced}) {
    LaunchSpec spec = shell("setsid sh -c '" + publish("child", "$$") + "sleep 1000; true' & " +
                            publish("agent", "$$") + "sleep 1000; true");
    spec.attempt = force == StopForce::polite ? 1 : 2;
    std::filesystem::remove(path("child"));
    std::filesystem::remove(path("agent"));
    const Claim claim = start(spec);
    const ProcessId child = wait_for_process("child");
    const ProcessId agent = wait_for_process("agent");
    kill_runner(claim);
    EXPECT_TRUE(is_alive(agent));
    EXPECT_FALSE(is_claim_held(spec.run_dir, spec.job, spec.attempt));
    ASSERT_TRUE(stop_attempt(claim_of(spec), force));
    EXPECT_TRUE(dies(agent));
    EXPECT_TRUE(dies(child));
    EXPECT_TRUE(stop_attempt(claim, force)) << "nothing left to stop is no error";
    const auto record = read_exit_record(spec.run_dir, spec.job, spec.attempt);
    EXPECT_TRUE(record && !record->has_value());
  }
}

class Survivors : public Stop {
 protected:
  // Orphans of luzia-run become children of this process, which reaps them at once. Not every init does that.
  Survivors() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  /// An agent with a mark that is unique to this run of the test.
  LaunchSpec marked(const std::string& script) {
    LaunchSpec spec = shell(script);
    spec.env.push_back("LUZIA_JOB_ID=" + mark_.job);
    spec.env.push_back("LUZIA_ATTEMPT=1");
    return spec;
  }
  /// Runs an agent with a child in its process group, then kills the agent and its luzia-run with SIGKILL.
  Claim orphan(const LaunchSpec& spec) {
    Claim claim = start(spec);
    child_ = wait_for_process("child");
    claim.agent = wait_for_process("agent");
    kill_runner(claim);
    EXPECT_EQ(::kill(static_cast<pid_t>(claim.agent.pid), SIGKILL), 0);
    EXPECT_TRUE(wait_until([&] { return state_of(claim.agent) == '-'; })) << "not reaped";
    return claim;
  }
  Claim orphan() {
    return orphan(marked("sh -c '" + publish("child", "$$") + "sleep 1000; true' & " +
                         publish("agent", "$$") + "wait"));
  }
  std::optional<ProcessId> survivor(const Claim& claim, const AttemptMark& mark) {
    const auto found = find_survivor(claim, mark);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(std::nullopt);
  }
  ~Survivors() override {
    if (child_.pid != 0) ::kill(static_cast<pid_t>(child_.pid), SIGKILL);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  const AttemptMark mark_{"left" + std::to_string(::getpid()), 1, ::geteuid()};
  ProcessId child_;
};

TEST_F(Survivors, AreRecognizedByTheirMark) {
  const Claim claim = orphan();
  ASSERT_TRUE(survivor(claim, mark_));
  const AttemptMark strangers[] = {{"other", mark_.attempt, mark_.uid},
                                   {mark_.job, mark_.attempt + 1, mark_.uid},
                                   {mark_.job, mark_.attempt, mark_.uid + 1},
                                   {}};
  for (const AttemptMark& mark : strangers) {
    EXPECT_FALSE(survivor(claim, mark));
    EXPECT_TRUE(stop_attempt(claim, StopForce::forced, mark));
    EXPECT_TRUE(is_alive(child_));
  }
  Claim elsewhere = claim;
  elsewhere.boot_id = "00000000-0000-0000-0000-000000000000";
  EXPECT_FALSE(survivor(elsewhere, mark_));
  elsewhere = claim;
  elsewhere.agent.pid = static_cast<std::uint32_t>(::getpgrp());
  EXPECT_FALSE(survivor(elsewhere, mark_)) << "another group is not the attempt's";
}

TEST_F(Survivors, AreStopped) {
  for (const auto force : {StopForce::polite, StopForce::forced}) {
    std::filesystem::remove(path("child"));
    std::filesystem::remove(path("agent"));
    LaunchSpec spec =
        marked("sh -c '" + publish("child", "$$") + "sleep 1000; true' & " + publish("agent", "$$") + "wait");
    spec.attempt = force == StopForce::polite ? 1 : 2;
    const Claim claim = orphan(spec);
    ASSERT_TRUE(survivor(claim, mark_));
    ASSERT_TRUE(stop_attempt(claim, force, mark_));
    EXPECT_TRUE(dies(child_));
    EXPECT_TRUE(wait_until([&] { return !survivor(claim, mark_); }));
  }
}

TEST_F(Survivors, ArePausedAndResumed) {
  const Claim claim = orphan();
  ASSERT_TRUE(pause_attempt(claim, true, mark_));
  EXPECT_TRUE(wait_until([&] { return state_of(child_) == 'T'; }));
  ASSERT_TRUE(pause_attempt(claim, false, mark_));
  EXPECT_TRUE(wait_until([&] { return state_of(child_) != 'T'; }));
}

TEST_F(Survivors, ProcessWithoutTheMarkCountsAsForeign) {
  const Claim claim =
      orphan(marked("env -i S=$S sh -c '" + publish("child", "$$") + "while :; do /bin/sleep 0.05; done' & " +
                    publish("agent", "$$") + "wait"));
  EXPECT_FALSE(survivor(claim, mark_));
  ASSERT_TRUE(stop_attempt(claim, StopForce::forced, mark_));
  EXPECT_TRUE(is_alive(child_));
}

TEST_F(Stop, ReusedPidIsNeverSignaled) {
  pid_t stranger = 0;
  char program[] = "/bin/sleep";
  char seconds[] = "1000";
  char* argv[] = {program, seconds, nullptr};
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  ASSERT_EQ(::posix_spawn(&stranger, program, nullptr, &own_group, argv, environ), 0);
  posix_spawnattr_destroy(&own_group);
  const auto pid = static_cast<std::uint32_t>(stranger);
  const std::uint64_t start = process_start_time(pid).value_or(0);
  ASSERT_NE(start, 0u);

  Claim claim{current_boot_id(), {pid, start + 1}, {pid, start - 1}};
  EXPECT_FALSE(is_alive(claim.runner));
  for (const auto force : {StopForce::polite, StopForce::forced}) EXPECT_TRUE(stop_attempt(claim, force));
  EXPECT_TRUE(pause_attempt(claim, true));
  claim = {"00000000-0000-0000-0000-000000000000", {pid, start}, {pid, start}};
  for (const auto force : {StopForce::polite, StopForce::forced}) EXPECT_TRUE(stop_attempt(claim, force));
  EXPECT_TRUE(pause_attempt(claim, true));

  // Signals are delivered at once: had one been sent, it would be pending or would have ended the process.
  ProcessStat stat;
  ASSERT_TRUE(read_process(stranger, stat));
  EXPECT_EQ(stat.start, start);
  EXPECT_NE(stat.state, 'T');
  EXPECT_FALSE(stat.ended());
  ::kill(stranger, SIGKILL);
}

TEST_F(Stop, PauseStopsTheGroupAndResumeContinuesIt) {
  const LaunchSpec spec = shell("sleep 1000 & echo $! >$S/child.new; mv $S/child.new $S/child; " +
                                publish("agent", "$$") + "wait");
  const Claim claim = start(spec);
  const ProcessId child = wait_for_process("child");
  wait_for_process("agent");
  ASSERT_TRUE(pause_attempt(claim, true));
  EXPECT_TRUE(wait_until([&] { return state_of(claim.agent) == 'T' && state_of(child) == 'T'; }));
  ASSERT_TRUE(pause_attempt(claim, false));
  EXPECT_TRUE(wait_until([&] { return state_of(claim.agent) != 'T' && state_of(child) != 'T'; }));
  ASSERT_TRUE(stop_attempt(claim, StopForce::forced));
  end_of(spec);
  EXPECT_TRUE(pause_attempt(claim, true)) << "nothing left to pause is no error";
}

TEST_F(Stop, PausedAttemptReceivesAPoliteStop) {
  // Waits for the child's exec: between fork and exec it would swallow the signal as a copy of the shell.
  const LaunchSpec spec = shell("trap 'exit 6' TERM; sh -c '" + publish("child", "$$") +
                                "exec sleep 1000' & " + publish("agent", "$$") + "wait");
  const Claim claim = start(spec);
  wait_for_process("child");
  wait_for_process("agent");
  ASSERT_TRUE(pause_attempt(claim, true));
  ASSERT_TRUE(wait_until([&] { return state_of(claim.agent) == 'T'; }));
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  EXPECT_EQ(end_of(spec).exit_code, 6);
}

TEST_F(Stop, LuziaRunLeavesNoZombies) {
  const LaunchSpec spec = shell("for i in 1 2 3 4 5; do (setsid true &); done; " + publish("agent", "$$") +
                                "while [ ! -e $S/go ]; do sleep 0.01; done");
  const Claim claim = start(spec);
  wait_for_process("agent");
  const auto children = [&] {
    ProcessTable table;
    table.scan();
    int count = 0;
    for (const ProcessTable::Entry& entry : table) {
      if (entry.stat.parent == static_cast<pid_t>(claim.runner.pid)) ++count;
    }
    return count;
  };
  EXPECT_TRUE(wait_until([&] { return children() == 1; })) << "only the agent is left";
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).leftovers_killed, 0u);
  EXPECT_TRUE(wait_until([&] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }));
}

}  // namespace
}  // namespace luzia
