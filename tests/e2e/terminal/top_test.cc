// luzia top at a terminal: what it shows, what its keys do, and that every exit restores the terminal.
#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

constexpr const char* kEntered = "\x1b[?1049h";
constexpr const char* kLeft = "\x1b[?1049l";

class Top : public TerminalTest {
 protected:
  TerminalProgram top(unsigned short columns = 100, unsigned short rows = 30) const {
    return TerminalProgram(command({"top"}), terminal_environment(), columns, rows);
  }
  static void expect_given_back(const TerminalProgram& program) {
    EXPECT_THAT(program.output(), HasSubstr(kLeft));
    EXPECT_FALSE(program.is_raw());
  }
};

TEST_F(Top, WithoutATerminalItIsOneError) {
  const Finished finished = luzia({"top"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(error_lines(finished.err), 1u) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("terminal"));
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(luzia({"top", "--json"}).code, 2);
  TerminalProgram dumb(command({"top"}), environment({"TERM=dumb"}));
  EXPECT_EQ(dumb.end(), 2);
  EXPECT_THAT(dumb.output(), Not(HasSubstr(kEntered)));
}

TEST_F(Top, ShowsLiveChanges) {
  auto person = top();
  ASSERT_TRUE(person.shows("no jobs yet")) << person.output();
  const std::string id = dispatch("echo hello; exec sleep 600");
  ASSERT_TRUE(person.shows("Working (1)")) << person.output();
  EXPECT_TRUE(person.shows(id));
  EXPECT_TRUE(person.shows("hello"));
  luzia({"cancel", id, "--grace", "0s"});
  EXPECT_TRUE(person.shows("Ended (1)")) << person.output();
  person.type("q");
  EXPECT_EQ(person.end(), 0);
  expect_given_back(person);
}

TEST_F(Top, QuestionIsAnsweredByNumberAfterConfirmation) {
  const std::string id = dispatch(kLuzia + " ask 'Deploy where?' --options production,staging > answer");
  auto person = top();
  ASSERT_TRUE(person.shows("? Deploy where?")) << person.output();
  person.type("2");
  ASSERT_TRUE(person.shows("Answer " + id + ": staging?")) << person.output();
  person.type("n");
  ASSERT_TRUE(person.shows("left as it is"));
  EXPECT_EQ(state(id), "waiting");
  person.type("2y");
  EXPECT_TRUE(person.shows("answered")) << person.output();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/answer"), "staging\n");
  person.type("q");
  EXPECT_EQ(person.end(), 0);
}

TEST_F(Top, ApprovesAGateAndCancelsAJob) {
  const std::string id = dispatch(kLuzia + " gate deploy && exec sleep 600");
  auto person = top();
  ASSERT_TRUE(person.shows("a approve")) << person.output();
  person.type("ay");
  ASSERT_TRUE(person.shows("approved")) << person.output();
  ASSERT_TRUE(becomes(id, "running"));
  ASSERT_TRUE(person.shows("Working")) << person.output();
  person.type("c");
  ASSERT_TRUE(person.shows("Cancel " + id)) << person.output();
  person.type("y");
  EXPECT_TRUE(person.shows("cancelling " + id)) << person.output();
  EXPECT_EQ(ended(id)["state"], "killed");
  person.type("\x03");
  EXPECT_EQ(person.end(), 0);
  expect_given_back(person);
}

TEST_F(Top, EnterShowsWhyAndSanitizedOutput) {
  script("hostile", "printf 'first\\n\\033]0;title\\007\\033[2Jlast\\n'; exec sleep 600\n");
  const std::string id = dispatch_until("running", "./hostile");
  auto person = top();
  ASSERT_TRUE(person.shows("Working (1)"));
  person.type("\r");
  ASSERT_TRUE(person.shows("Why")) << person.output();
  EXPECT_TRUE(person.shows("attempt 1 started"));
  EXPECT_TRUE(person.shows("first"));
  EXPECT_TRUE(person.shows("last"));
  EXPECT_THAT(person.output(), Not(HasSubstr("title")));
  EXPECT_THAT(person.output(), Not(HasSubstr("\x1b[2Jlast")));
  person.type("\x1b");
  ASSERT_TRUE(person.shows("Working (1)", 2)) << person.output();
  person.type("\x1b");
  EXPECT_EQ(person.end(), 0);
}

TEST_F(Top, EverySignalRestoresTheTerminal) {
  start_daemon();
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
    auto person = top();
    ASSERT_TRUE(person.shows("no jobs yet"));
    EXPECT_TRUE(person.is_raw());
    ::kill(person.pid(), number);
    EXPECT_EQ(person.end(), 128 + number);
    expect_given_back(person);
  }
}

TEST_F(Top, ResizingRedraws) {
  const std::string id = dispatch("exec sleep 600");
  auto person = top(120, 30);
  ASSERT_TRUE(person.shows("Working (1)"));
  person.resize(40, 8);
  ASSERT_TRUE(person.shows("\x1b[2J", 3)) << person.output();
  person.resize(120, 30);
  ASSERT_TRUE(person.shows("\x1b[2J", 4)) << person.output();
  person.type("q");
  EXPECT_EQ(person.end(), 0);
}

TEST_F(Top, PlainTerminalsGetPlainText) {
  const std::string id = dispatch("printf '\\033]9;4;1;40\\007'; exec sleep 600");
  ASSERT_TRUE(becomes(id, "running"));
  TerminalProgram person(command({"top"}), environment({"TERM=vt100", "LANG=C", "LC_ALL=C", "NO_COLOR=1"}),
                         60, 20);
  ASSERT_TRUE(person.shows("> %1  " + id)) << person.output();
  person.type("q");
  EXPECT_EQ(person.end(), 0);
  for (const char c : person.output()) EXPECT_EQ(static_cast<unsigned char>(c) & 0x80, 0) << person.output();
  for (const char* colour : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[33m", "\x1b[36m"}) {
    EXPECT_THAT(person.output(), Not(HasSubstr(colour)));
  }
}

TEST_F(Top, RestartedDaemonIsFollowed) {
  const std::string id = dispatch("exec sleep 600");
  auto person = top();
  ASSERT_TRUE(person.shows("Working (1)"));
  kill_daemon();
  ASSERT_TRUE(person.shows("the daemon is away")) << person.output();
  start_daemon();
  luzia({"cancel", id, "--grace", "0s"});
  EXPECT_TRUE(person.shows("Ended (1)")) << person.output();
  person.type("q");
  EXPECT_EQ(person.end(), 0);
}

using Waits = TerminalTest;

TEST_F(Waits, WaitShowsATransientProgressLine) {
  script("steps", "printf '\\033]9;4;1;40\\007'; while [ ! -e go ]; do sleep 0.05; done\n");
  TerminalProgram person(command({"demo", "./steps", "--wait"}), terminal_environment());
  ASSERT_TRUE(person.shows("40%")) << person.output();
  write_text(project() + "/go", "");
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), HasSubstr("completed"));
  EXPECT_THAT(person.output(), HasSubstr("\r\x1b[K"));
}

TEST_F(Waits, CtrlCEndsOnlyTheWait) {
  script("steps", "printf '\\033]9;4;1;40\\007'; while [ ! -e go ]; do sleep 0.05; done\n");
  TerminalProgram person(command({"demo", "./steps", "--wait"}), terminal_environment());
  ASSERT_TRUE(person.shows("40%")) << person.output();
  person.type("\x03");
  EXPECT_EQ(person.end(), 128 + SIGINT);
  const std::string id = running_job();
  // The terminal's echo of the key may come before, between or after luzia's output.
  std::string shown = person.output();
  if (const auto echo = shown.find("^C"); echo != std::string::npos) shown.erase(echo, 2);
  EXPECT_THAT(shown, EndsWith("\r\x1b[Kjob " + id + " continues; luzia wait " + id +
                              " waits again, luzia cancel " + id + " ends it\r\n"));
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(Waits, KilledDaemonDoesNotEndTheWait) {
  script("until", "while [ ! -e go ]; do sleep 0.05; done\n");
  TerminalProgram person(command({"demo", "./until", "--wait"}), terminal_environment());
  ASSERT_TRUE(person.shows("running")) << person.output();
  kill_and_start_daemon();
  write_text(project() + "/go", "");
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), HasSubstr("completed"));
}

TEST_F(Waits, QuietWaitShowsNoLine) {
  configure("[status_updates]\nverbosity = \"quiet\"\n");
  TerminalProgram person(command({"demo", "true", "--wait"}), terminal_environment());
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), Not(HasSubstr("\x1b[K")));
}

TEST_F(Waits, CompactStatusHasALinePerJob) {
  configure("[display]\ncompact_format = true\nuse_colors = false\nuse_emojis = false\n");
  const std::string id = dispatch("true");
  ended(id);
  TerminalProgram person(command({"status"}), terminal_environment());
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), HasSubstr(id + "  completed"));
  EXPECT_THAT(person.output(), Not(HasSubstr("Ended")));
  EXPECT_THAT(person.output(), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("Ended (1)")) << "a pipe gets the same output as before";
}

TEST_F(Waits, WatchedLinesFollowTheSettings) {
  script("steps",
         "for p in 10 20 60; do printf '\\033]9;4;1;%d\\007\\n' $p; done; while [ ! -e go ]; do sleep 0.05; "
         "done\n");
  const auto lines = [this](const std::string& toml) {
    configure(toml);
    ::unlink((project() + "/go").c_str());
    luzia({"pause", "--all"});
    const std::string id = dispatch("./steps");
    BesideProgram watch({kLuzia, "watch", id}, environment(), path("watched"));
    EXPECT_TRUE(wait_until([&] { return !watch.output().empty(); }));
    luzia({"resume", "--all"});
    EXPECT_TRUE(wait_until([&] { return events_of(id, "ProgressReported").size() == 3; }));
    write_text(project() + "/go", "");
    EXPECT_EQ(watch.end(), 0);
    return watch.output();
  };
  const std::string usual = lines("");
  EXPECT_THAT(usual, HasSubstr("attempt 1 started"));
  EXPECT_THAT(usual, HasSubstr("60 %"));
  EXPECT_THAT(usual, Not(HasSubstr("20 %"))) << "no step of 25";
  const std::string few = lines("[status_updates]\nverbosity = \"quiet\"\n");
  EXPECT_THAT(few, HasSubstr("completed"));
  EXPECT_THAT(few, Not(HasSubstr("started")));
  EXPECT_THAT(few, Not(HasSubstr("60 %")));
  const std::string without =
      lines("[status_updates]\nshow_task_started = false\nshow_progress_updates = false\n");
  EXPECT_THAT(without, Not(HasSubstr("attempt 1 started")));
  EXPECT_THAT(without, Not(HasSubstr("60 %")));
  EXPECT_THAT(without, HasSubstr("attempt 1 ended"));
}

}  // namespace
}  // namespace luzia
