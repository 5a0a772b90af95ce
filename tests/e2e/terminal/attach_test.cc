// luzia attach: who is attached, who comes and goes, and what the job notices.
#include <filesystem>

#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

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

TEST_F(Attach, TopAttachesAndComesBack) {
  const std::string id = echoing_job();
  TerminalProgram person(command({"top"}), terminal_environment(), 100, 30);
  ASSERT_TRUE(person.shows("t attach")) << person.output();
  person.type("t");
  ASSERT_TRUE(person.shows("attached to " + id)) << person.output();
  ASSERT_TRUE(person.becomes_raw());
  person.type("from top\r");
  EXPECT_TRUE(person.shows("<from top>")) << person.output();
  person.type(
      "\x1c"
      "d");
  ASSERT_TRUE(person.shows("\x1b[?1049h", 2)) << person.output();
  ASSERT_TRUE(person.shows("Working (1)", 2)) << person.output();
  person.type("q");
  EXPECT_EQ(person.end(), 0);
  EXPECT_FALSE(person.is_raw());
  EXPECT_EQ(state(id), "running");
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

TEST_F(Attach, AgentOpensNoSessionOfItsOwnJob) {
  script("own", std::string("script -qec \"") + kLuzia + " attach $LUZIA_JOB_ID\" /dev/null\n");
  const Json row = ended(dispatch("./own"));
  EXPECT_EQ(row["exit_code"], 4);
  EXPECT_EQ(row["attempts"], 1);
  EXPECT_THAT(luzia({"logs", row["id"].get<std::string>()}).out,
              HasSubstr("the agent of job " + row["id"].get<std::string>() + " may not attach to it"));
}

TEST_F(Attach, JobWithoutATerminalSaysSo) {
  const std::string plain = dispatch_until("running", "exec sleep 1000");
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

/// An agent that is called like Claude Code: its session s-1 opens interactively with --resume.
class AttachedSession : public TerminalTest {
 protected:
  /// `work`: what the agent does without a terminal.
  std::string dispatched(const std::string& work) {
    const std::string program = project() + "/claude";
    configure("[agents.claude]\ncommand = [\"" + program + "\", \"-p\", \"{permissions}\"]\n" +
              "output = \"claude-stream-json\"\ninteractive = [\"" + program + "\", \"{task}\"]\n");
    script("claude",
           "#!/bin/sh\nif [ \"$1\" = --resume ]; then test -t 0 && stty size && echo \"session $2\"; "
           "read line; echo \"heard $line\"; exit 7; fi\n"
           "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'\n" +
               work + "\n");
    return dispatch("work", {"--agent", "claude"});
  }
  TerminalProgram attach(const std::string& id) const {
    return TerminalProgram(command({"attach", id}), terminal_environment(), 120, 24);
  }
};

TEST_F(AttachedSession, EndedJobGoesOnAsItsNextAttempt) {
  const std::string id = dispatched("exit 0");
  EXPECT_EQ(ended(id)["state"], "completed");
  auto person = attach(id);
  ASSERT_TRUE(person.shows("session s-1")) << person.output();
  EXPECT_THAT(person.output(), HasSubstr("24 120\r\n"));
  person.type("go on\r");
  EXPECT_EQ(person.end(), 7) << person.output();
  const Json job = ended(id);
  EXPECT_EQ(job["exit_code"], 7);
  EXPECT_EQ(job["attempts"], 2);
  EXPECT_THAT(recorded(id), HasSubstr("heard go on"));
  expect_nothing_left(id);
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  const Json again = ended(id);
  EXPECT_EQ(again["state"], "completed") << "a retry runs as dispatched";
  EXPECT_EQ(again["attempts"], 3);
}

TEST_F(AttachedSession, AbsentProgramChangesNothing) {
  const std::string id = dispatched("exit 0");
  EXPECT_EQ(ended(id)["state"], "completed");
  std::filesystem::remove(project() + "/claude");
  const auto before = position();
  auto person = attach(id);
  EXPECT_EQ(person.end(), 4) << person.output();
  EXPECT_THAT(person.output(),
              HasSubstr("cannot attach to job " + id + ": agent 'claude': there is no program"));
  EXPECT_EQ(position(), before);
  EXPECT_EQ(job(id)["state"], "completed");
}

TEST_F(AttachedSession, WaitingProcessIsStoppedOnlyIfThePersonAgrees) {
  const std::string id = dispatched(kLuzia + " ask 'Where to?' --options here,there");
  ASSERT_TRUE(becomes(id, "waiting"));
  ASSERT_TRUE(wait_until([&] { return job(id)["session_id"] == "s-1"; }));
  auto unsure = attach(id);
  ASSERT_TRUE(unsure.shows("[y/N]")) << unsure.output();
  unsure.type("n\r");
  EXPECT_EQ(unsure.end(), 4);
  EXPECT_EQ(state(id), "waiting");
  auto person = attach(id);
  ASSERT_TRUE(person.shows("[y/N]")) << person.output();
  person.type("y\r");
  ASSERT_TRUE(person.shows("session s-1")) << person.output();
  ASSERT_TRUE(person.becomes_raw());
  person.type(
      "\x1c"
      "d");
  EXPECT_EQ(person.end(), 0);
  EXPECT_EQ(state(id), "running");
  const auto cancelled = events_of(id, "QuestionCancelled");
  ASSERT_EQ(cancelled.size(), 1u);
  EXPECT_THAT(cancelled[0]["data"]["reason"].get<std::string>(), testing::StartsWith("attached by "));
  EXPECT_TRUE(events_of(id, "JobEnded").empty());
  auto later = attach(id);
  ASSERT_TRUE(later.shows("session s-1")) << later.output();
  later.type("done\r");
  EXPECT_EQ(later.end(), 0);
  EXPECT_EQ(ended(id)["exit_code"], 7);
  expect_nothing_left(id);
}

TEST_F(Attach, JobWithoutATerminalThatAsksIsAnswered) {
  const std::string id = dispatch_until("waiting", kLuzia + " ask 'Where to?' --options here,there > said");
  TerminalProgram person(command({"attach", id}), terminal_environment(), 120, 24);
  EXPECT_EQ(person.end(), 4);
  EXPECT_THAT(person.output(), HasSubstr("it has no terminal"));
  EXPECT_THAT(person.output(), HasSubstr("luzia answer " + id));
  EXPECT_EQ(luzia({"answer", id, "here"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

}  // namespace
}  // namespace luzia
