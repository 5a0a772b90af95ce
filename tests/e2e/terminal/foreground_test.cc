// luzia PROJECT TASK --fg at a terminal: the agent has one too, as if it had been started there.
#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

class ForegroundTerminal : public TerminalTest {};

TEST_F(ForegroundTerminal, AgentHasATerminalOfTheSameSize) {
  TerminalProgram person(command({"demo", "test -t 0 && test -t 1 && stty size; echo $TERM; exit 7", "--fg"}),
                         terminal_environment(), 101, 33);
  EXPECT_EQ(person.end(), 7);
  EXPECT_THAT(person.output(), HasSubstr("33 101\r\n"));
  EXPECT_THAT(person.output(), HasSubstr("xterm-256color\r\n"));
  const std::string id = running_or_ended_job();
  EXPECT_EQ(ended(id)["exit_code"], 7);
  EXPECT_EQ(recorded(id), "33 101\r\nxterm-256color\r\n");
  EXPECT_EQ(events_of(id, "AttemptEnded").size(), 1u);
  expect_nothing_left(id);
}

TEST_F(ForegroundTerminal, KeysReachTheAgentAndTheTerminalIsRestored) {
  TerminalProgram person(command({"demo", "printf '\\033[?25lname? '; read name; echo hello $name", "--fg"}),
                         terminal_environment());
  ASSERT_TRUE(person.shows("name? ")) << person.output();
  EXPECT_TRUE(person.becomes_raw());
  person.type("ann\r");
  ASSERT_TRUE(person.shows("hello ann\r\n")) << person.output();
  EXPECT_EQ(person.end(), 0);
  EXPECT_FALSE(person.is_raw());
  EXPECT_THAT(person.output(), HasSubstr("\x1b[?25h")) << "the agent had hidden the cursor";
}

TEST_F(ForegroundTerminal, ResizingReachesTheAgent) {
  script("show", "trap 'stty size' WINCH; echo ready; while :; do read line && exit 0; done\n");
  TerminalProgram person(command({"demo", "./show", "--fg"}), terminal_environment(), 80, 24);
  ASSERT_TRUE(person.shows("ready")) << person.output();
  person.resize(132, 50);
  EXPECT_TRUE(person.shows("50 132")) << person.output();
  person.type("\r");
  EXPECT_EQ(person.end(), 0);
}

TEST_F(ForegroundTerminal, CtrlCGoesOnlyToTheAgent) {
  script("stubborn", "trap 'echo not yet' INT; echo ready; while :; do read line && exit 5; done\n");
  TerminalProgram person(command({"demo", "exec ./stubborn", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  person.type("\x03");
  ASSERT_TRUE(person.shows("not yet")) << person.output();
  person.type("\x03");
  ASSERT_TRUE(person.shows("not yet", 2)) << person.output();
  person.type("\r");
  EXPECT_EQ(person.end(), 5);
}

TEST_F(ForegroundTerminal, CtrlCEndsTheAgentBySignal) {
  TerminalProgram person(command({"demo", "echo ready; exec sleep 1000", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  person.type("\x03");
  EXPECT_EQ(person.end(), 128 + SIGINT);
  const Json job = ended(running_or_ended_job());
  EXPECT_EQ(job["signal"], SIGINT);
}

TEST_F(ForegroundTerminal, EveryByteIsRecorded) {
  // More than a terminal, a socket and the terminal host's memory hold, with all byte values.
  script("flood", "for i in 1 2 3 4 5 6; do cat data; done\n");
  std::string data;
  for (int i = 0; i < 400'000; ++i) data += static_cast<char>(1 + (i * 7 + i / 250) % 255);
  std::erase(data, '\n');
  write_text(project() + "/data", data);
  TerminalProgram person(command({"demo", "stty raw; exec ./flood", "--fg"}), terminal_environment());
  EXPECT_EQ(person.end(), 0);
  const std::string id = running_or_ended_job();
  std::string expected;
  for (int i = 0; i < 6; ++i) expected += data;
  EXPECT_TRUE(recorded(id) == expected) << recorded(id).size() << " of " << expected.size();
}

TEST_F(ForegroundTerminal, DetachedJobKeepsRunning) {
  TerminalProgram person(command({"demo", "echo ready; read line; exit 9", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  person.type(
      "\x1c"
      "d");
  EXPECT_EQ(person.end(), 0);
  EXPECT_FALSE(person.is_raw());
  const std::string id = running_job();
  EXPECT_THAT(person.output(), HasSubstr("luzia attach " + id));
  EXPECT_EQ(state(id), "running");
  TerminalProgram again(command({"attach", id}), terminal_environment());
  EXPECT_TRUE(again.shows("ready")) << "earlier output is shown: " << again.output();
  again.type("\r");
  EXPECT_EQ(again.end(), 0);
  EXPECT_EQ(ended(id)["exit_code"], 9);
}

TEST_F(ForegroundTerminal, StandardInputAgentRunsWithoutATerminal) {
  configure("[agents.reader]\ncommand = [\"cat\"]\n");
  TerminalProgram person(command({"demo", "the task", "--agent", "reader", "--fg"}), terminal_environment());
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), HasSubstr("the task"));
}

TEST_F(ForegroundTerminal, InteractiveCommandOfTheProfileIsUsed) {
  configure(
      "[agents.talker]\ncommand = [\"cat\"]\ninteractive = [\"sh\", \"-c\", \"test -t 0 && echo talk: $1\", "
      "\"sh\", \"{task}\"]\n");
  TerminalProgram person(command({"demo", "the task", "--agent", "talker", "--fg"}), terminal_environment());
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), HasSubstr("talk: the task"));
}

TEST_F(ForegroundTerminal, WithoutATerminalOutputIsPlain) {
  const Finished shown = luzia({"demo", "test -t 1 || echo none; exit 4", "--fg"});
  EXPECT_EQ(shown.code, 4);
  EXPECT_EQ(shown.out, "none\n");
}

}  // namespace
}  // namespace luzia
