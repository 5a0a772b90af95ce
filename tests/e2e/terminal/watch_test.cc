// luzia watch JOB at a terminal: the job's output above its progress.
#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

class WatchAtATerminal : public TerminalTest {};

TEST_F(WatchAtATerminal, OutputIsColouredAndStaysAboveTheProgress) {
  script("agent",
         "printf '\\033[31mred\\033[0m\\033[2Jcleared\\n'; while [ ! -e go ]; do sleep 0.05; done; "
         "echo 'the end'\n");
  const std::string id = dispatch("./agent");
  TerminalProgram person(command({"watch", id}), terminal_environment(), 100, 30);
  EXPECT_TRUE(person.shows("\x1b[31mred\x1b[0mcleared")) << person.output();
  EXPECT_TRUE(person.shows("running")) << person.output();
  write_text(project() + "/go", "");
  EXPECT_EQ(person.end(), 0);
  const std::string& screen = person.output();
  ASSERT_THAT(screen, HasSubstr("the end"));
  EXPECT_THAT(screen.substr(screen.rfind("the end")), HasSubstr("completed")) << "its state comes last";
  EXPECT_THAT(screen, Not(HasSubstr("\x1b[2J")));
}

TEST_F(WatchAtATerminal, QuietOutputShowsTheLastLineAlone) {
  const std::string id = dispatch("echo one; echo two");
  ended(id);
  TerminalProgram person(command({"watch", id, "--quiet-output"}), terminal_environment(), 100, 30);
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), HasSubstr("two"));
  EXPECT_THAT(person.output(), Not(HasSubstr("one\r\n")));
}

}  // namespace
}  // namespace luzia
