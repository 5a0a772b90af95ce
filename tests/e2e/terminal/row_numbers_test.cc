// Numbers of rows: what a person types after a list, on the terminal that showed it.
#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

class RowNumbersTest : public TerminalTest {
 protected:
  /// What these lines of a shell print on a terminal of their own. `$L` is luzia.
  std::string typed(const std::string& lines) const {
    TerminalProgram shell({"/bin/sh", "-c", "L=$0; " + lines, kLuzia}, terminal_environment(), 120, 40);
    shell.end();
    return shell.output();
  }
};

TEST_F(RowNumbersTest, NumberNamesTheRowOfTheListThatWasShownLast) {
  const std::string first = dispatch("echo the first"), second = dispatch("echo the second; exit 3");
  ended(first);
  ended(second);
  const std::string screen = typed("$L jobs --all; $L logs %2; $L why %1 | cat");
  EXPECT_THAT(screen, AllOf(HasSubstr("%1"), HasSubstr("%2"), HasSubstr("\x1b[4m"), HasSubstr("the first"),
                            HasSubstr("exit code 3"), Not(HasSubstr("no_such_row"))));
  EXPECT_THAT(typed("$L logs %2"), HasSubstr("no list of jobs or flows was shown on this terminal"));
  EXPECT_THAT(typed("$L jobs --all >/dev/null; $L logs %1"), HasSubstr("no list of jobs or flows was shown"));
  EXPECT_THAT(typed("$L jobs --all; $L logs %7"), HasSubstr("has 2 rows"));
}

TEST_F(RowNumbersTest, StatusAndInboxNumberTheirRowsThroughAllTables) {
  const std::string asking =
      dispatch_until("waiting", "$L ask 'ship it?' --options yes,no", {"--env", "L=" + kLuzia});
  const std::string done = dispatch("echo over");
  ended(done);
  EXPECT_THAT(typed("$L status; $L logs %2"), AllOf(HasSubstr("ship it?"), HasSubstr("\r\nover")));
  EXPECT_THAT(typed("$L inbox; $L answer %1 yes; $L wait %1"), HasSubstr(asking + " completed"));
}

TEST_F(RowNumbersTest, FlowsAreNumberedToo) {
  const Finished made = luzia({"flow", "create", "demo", "by hand", "--step", "plan"});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string id = made.out.substr(0, made.out.find('\n'));
  EXPECT_THAT(typed("$L flows; $L flow skip %1 plan"), AllOf(HasSubstr("%1"), Not(HasSubstr("no_such"))));
  EXPECT_EQ(luzia_json({"flow", "status", id})["steps"][0]["state"], "skipped");
}

TEST_F(RowNumbersTest, TopNumbersItsRowsForTheNextCommand) {
  ended(dispatch("echo the-$((1 + 1))nd"));
  TerminalProgram shell({"/bin/sh", "-c", "L=$0; $L jobs --all; $L top; $L logs %1; $L logs %2", kLuzia},
                        terminal_environment(), 120, 40);
  ASSERT_TRUE(shell.shows("> %1")) << shell.output();
  shell.type("q");
  shell.end();
  EXPECT_THAT(shell.output(), AllOf(HasSubstr("the-2nd\r\n"), HasSubstr("has 1 row")));
}

TEST_F(RowNumbersTest, WhatScriptsReadHasNeitherNumbersNorMarks) {
  ended(dispatch("true"));
  for (const Words& words : {Words{"jobs", "--all"}, {"jobs", "--all", "--csv"}, {"status"}}) {
    EXPECT_THAT(luzia(words).out, AllOf(Not(HasSubstr("%1")), Not(HasSubstr("\x1b")))) << words.back();
  }
  const Finished refused = luzia({"logs", "%1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
}

}  // namespace
}  // namespace luzia
