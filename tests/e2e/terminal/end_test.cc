// How jobs with a terminal end: canceled, paused, with the daemon gone meanwhile, with processes left over.
#include <signal.h>

#include <filesystem>

#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

class TerminalEnd : public TerminalTest {};

TEST_F(TerminalEnd, CancelSignalsOnceThenClosesTheTerminal) {
  script("polite", "trap 'echo got TERM' TERM; echo ready; while :; do read line; done\n");
  TerminalProgram person(command({"demo", "exec ./polite", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const std::string id = running_job();
  EXPECT_EQ(luzia({"cancel", id, "--grace", "10m"}).code, 0);
  person.end();
  EXPECT_FALSE(person.is_raw());
  const Json job = ended(id);
  EXPECT_EQ(job["state"], "killed");
  EXPECT_EQ(job["signal"], SIGHUP);
  EXPECT_EQ(recorded(id), "ready\r\ngot TERM\r\n");
  expect_nothing_left(id);
}

TEST_F(TerminalEnd, StoppedAgentKeepsItsExitCode) {
  script("polite", "trap 'echo got TERM; exit 12' TERM; echo ready; while :; do read line; done\n");
  TerminalProgram person(command({"demo", "exec ./polite", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const std::string id = running_job();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  person.end();
  EXPECT_EQ(ended(id)["exit_code"], 12);
  EXPECT_EQ(recorded(id), "ready\r\ngot TERM\r\n");
  expect_nothing_left(id);
}

TEST_F(TerminalEnd, ShellAtItsPromptIsHungUp) {
  TerminalProgram person(command({"demo", "echo ready; exec bash --norc -i", "--fg"}),
                         terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const std::string id = running_job();
  EXPECT_EQ(luzia({"cancel", id, "--grace", "10m"}).code, 0);
  person.end();
  EXPECT_EQ(ended(id)["state"], "killed");
  expect_nothing_left(id);
}

TEST_F(TerminalEnd, DaemonMayBeKilledMeanwhile) {
  TerminalProgram person(command({"demo", "echo ready; read line; echo said $line; exit 21", "--fg"}),
                         terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const std::string id = running_job();
  kill_daemon();
  person.type("yes\r");
  const int code = person.end();
  EXPECT_EQ(code, 21) << person.output();
  EXPECT_EQ(ended(id)["exit_code"], 21);
  EXPECT_EQ(events_of(id, "AttemptEnded").size(), 1u);
  EXPECT_EQ(recorded(id), "ready\r\nyes\r\nsaid yes\r\n");
  expect_verified();
}

TEST_F(TerminalEnd, PauseStopsTheAgent) {
  script("counts", "i=0; while :; do i=$((i+1)); echo $i > count; sleep 0.02; done\n");
  TerminalProgram person(command({"demo", "echo ready; exec ./counts", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const std::string id = running_job();
  ASSERT_EQ(luzia({"pause", id}).code, 0);
  const auto all_stopped = [&] {
    for (const pid_t pid : processes_of(id)) {
      const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
      const bool runner = stat.find("(luzia-run)") != std::string::npos;
      // A process that had just exited stays a zombie, because its parent is stopped. D: its shell waits in
      // vfork for the child that it is just starting, and that child is stopped too.
      const bool over = stat.find(") Z ") != std::string::npos;
      const bool stands = stat.find(") T ") != std::string::npos || stat.find(") D ") != std::string::npos;
      if (!runner && !over && !stands) return false;
    }
    return true;
  };
  EXPECT_TRUE(wait_until(all_stopped));
  ASSERT_EQ(luzia({"resume", id}).code, 0);
  const std::string before = read_text(project() + "/count");
  EXPECT_TRUE(wait_until([&] { return read_text(project() + "/count") != before; }));
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  person.end();
  expect_nothing_left(id);
}

TEST_F(TerminalEnd, LeftoverProcessesAreKilledAndOutputKept) {
  TerminalProgram person(
      command({"demo", "(trap '' HUP; exec sleep 1000) & printf 'the end'; exit 0", "--fg"}),
      terminal_environment());
  EXPECT_EQ(person.end(), 0);
  const std::string id = running_or_ended_job();
  ended(id);
  EXPECT_EQ(recorded(id), "the end");
  expect_nothing_left(id);
}

TEST_F(TerminalEnd, SignalToLuziaRunReachesTheAgent) {
  script("polite", "trap 'echo got TERM; exit 13' TERM; echo ready; while :; do read line; done\n");
  TerminalProgram person(command({"demo", "exec ./polite", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const std::string id = running_job();
  ASSERT_EQ(::kill(job(id)["pid"].get<pid_t>(), SIGTERM), 0);
  EXPECT_EQ(person.end(), 13);
  EXPECT_THAT(person.output(), HasSubstr("got TERM"));
}

TEST_F(TerminalEnd, LongDirectoryNameWorks) {
  place_store(store(), path(std::string(120, 'j')) + "/" + std::string(80, 'k'));
  TerminalProgram person(command({"demo", "echo ready; read line", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  person.type("\r");
  EXPECT_EQ(person.end(), 0);
}

TEST_F(TerminalEnd, FailedCheckIsNotSentBackToTheAgent) {
  script("talk", "echo talk: $1\n");
  configure("[agents.talker]\ncommand = [\"cat\"]\ninteractive = [\"./talk\", \"{task}\"]\n");
  TerminalProgram person(command({"demo", "the task", "--agent", "talker", "--verify", "false", "--fg"}),
                         terminal_environment());
  EXPECT_EQ(person.end(), 1);
  const Json job = ended(running_or_ended_job());
  EXPECT_EQ(job["reason"], "verify_failed");
  EXPECT_EQ(job["attempts"], 1);
}

TEST_F(TerminalEnd, MissingProgramIsReported) {
  configure("[defaults]\nagent = \"missing\"\n[agents.missing]\ncommand = [\"no-such-agent\", \"{task}\"]\n");
  TerminalProgram person(command({"demo", "task", "--fg"}), terminal_environment());
  EXPECT_EQ(person.end(), 127);
  EXPECT_THAT(person.output(), HasSubstr("cannot run 'no-such-agent'"));
}

}  // namespace
}  // namespace luzia
