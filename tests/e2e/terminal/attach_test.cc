// luzia attach: who is attached, who comes and goes, and what the job notices.
#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Attach : public TerminalTest {
 protected:
  /// A job that answers each line, after the client that started it has left.
  std::string echoing_job() {
    script("echoing",
           "echo ready; while read line; do [ \"$line\" = end ] && exit 3; echo \"<$line>\"; done\n");
    TerminalProgram person(command({"demo", "stty -echo; ./echoing", "--fg"}), terminal_environment());
    EXPECT_TRUE(person.shows("ready")) << person.output();
    person.type(
        "\x1c"
        "d");
    EXPECT_EQ(person.end(), 0);
    return running_job();
  }
};

TEST_F(Attach, TwoSeeTheSameAndBothMayType) {
  const std::string id = echoing_job();
  TerminalProgram one(command({"attach", id}), terminal_environment());
  TerminalProgram two(command({"attach", id}), terminal_environment());
  ASSERT_TRUE(one.shows("ready"));
  ASSERT_TRUE(two.shows("ready"));
  one.type("from one\r");
  two.type("from two\r");
  for (TerminalProgram* each : {&one, &two}) {
    EXPECT_TRUE(each->shows("<from one>")) << each->output();
    EXPECT_TRUE(each->shows("<from two>")) << each->output();
  }
  one.type("end\r");
  EXPECT_EQ(one.end(), 0);
  EXPECT_EQ(two.end(), 0);
  EXPECT_EQ(ended(id)["exit_code"], 3);
  expect_nothing_left(id);
}

TEST_F(Attach, ReadOnlyViewerTypesNothing) {
  const std::string id = echoing_job();
  TerminalProgram looks(command({"attach", id, "--read-only"}), terminal_environment(), 40, 10);
  ASSERT_TRUE(looks.shows("ready"));
  looks.type("end\r");
  TerminalProgram types(command({"attach", id}), terminal_environment());
  ASSERT_TRUE(types.shows("ready"));
  types.type("hello\r");
  EXPECT_TRUE(looks.shows("<hello>")) << looks.output();
  looks.type("\x03");
  EXPECT_EQ(looks.end(), 0);
  EXPECT_FALSE(looks.is_raw());
  EXPECT_EQ(state(id), "running");
  types.type("end\r");
  EXPECT_EQ(types.end(), 0);
}

TEST_F(Attach, KilledViewerDoesNotMatter) {
  const std::string id = echoing_job();
  TerminalProgram stays(command({"attach", id}), terminal_environment());
  ASSERT_TRUE(stays.shows("ready"));
  {
    TerminalProgram killed(command({"attach", id}), terminal_environment());
    ASSERT_TRUE(killed.shows("ready"));
    ::kill(killed.pid(), SIGKILL);
    EXPECT_EQ(killed.end(), 128 + SIGKILL);
  }
  stays.type("still here\r");
  EXPECT_TRUE(stays.shows("<still here>")) << stays.output();
  EXPECT_EQ(state(id), "running");
}

TEST_F(Attach, SignalRestoresTheTerminalAndKeepsTheJob) {
  const std::string id = echoing_job();
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    TerminalProgram person(command({"attach", id}), terminal_environment());
    ASSERT_TRUE(person.shows("ready"));
    ASSERT_TRUE(person.becomes_raw());
    ::kill(person.pid(), number);
    EXPECT_EQ(person.end(), 128 + number);
    EXPECT_FALSE(person.is_raw()) << number;
  }
  EXPECT_EQ(state(id), "running");
}

TEST_F(Attach, StalledViewerDoesNotStopTheAgent) {
  script("talks",
         "echo ready; read go; i=0; while [ $i -lt 40 ]; do cat chunk; i=$((i+1)); done; echo done\n");
  write_text(project() + "/chunk", std::string(100'000, 'x') + "\n");
  TerminalProgram person(command({"demo", "./talks", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready"));
  const std::string id = running_job();
  TerminalProgram sleeper(command({"attach", id}), terminal_environment());
  ASSERT_TRUE(sleeper.shows("ready"));
  ::kill(sleeper.pid(), SIGSTOP);
  person.type("\r");
  EXPECT_EQ(person.end(), 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(std::ranges::count(recorded(id), 'x'), 4'000'000);
  ::kill(sleeper.pid(), SIGCONT);
  EXPECT_EQ(sleeper.end(), 0);
}

TEST_F(Attach, JobWithoutATerminalSaysSo) {
  const std::string plain = dispatch("exec sleep 1000");
  ASSERT_TRUE(becomes(plain, "running"));
  TerminalProgram person(command({"attach", plain}), terminal_environment());
  EXPECT_EQ(person.end(), 4);
  EXPECT_THAT(person.output(), HasSubstr("it has no terminal"));
  EXPECT_THAT(person.output(), HasSubstr("luzia logs -f " + plain));

  const std::string over = dispatch("true");
  ended(over);
  TerminalProgram late(command({"attach", over}), terminal_environment());
  EXPECT_EQ(late.end(), 4);
  EXPECT_THAT(late.output(), HasSubstr("it has ended"));

  const Finished piped = luzia({"attach", plain});
  EXPECT_EQ(piped.code, 2);
  EXPECT_THAT(piped.err, HasSubstr("must be a terminal"));
}

TEST_F(Attach, JobWithoutATerminalThatAsksIsAnswered) {
  const std::string id = dispatch(kLuzia + " ask 'Where to?' --options here,there > said");
  ASSERT_TRUE(becomes(id, "waiting"));
  TerminalProgram person(command({"attach", id}), terminal_environment(), 120, 24);
  EXPECT_EQ(person.end(), 4);
  EXPECT_THAT(person.output(), HasSubstr("it has no terminal"));
  EXPECT_THAT(person.output(), HasSubstr("luzia answer " + id));
  EXPECT_EQ(luzia({"answer", id, "here"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

}  // namespace
}  // namespace luzia
