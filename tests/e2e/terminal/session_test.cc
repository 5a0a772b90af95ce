// luzia work on: agents in tmux sessions, and luzia terminal, which drives them.
#include <signal.h>
#include <sys/stat.h>

#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

class Session : public TerminalTest {
 protected:
  Session() {
    script(
        "talk",
        "echo ready for $1; while read line; do [ \"$line\" = bye ] && exit 6; echo \"heard $line\"; done\n");
    configure("[agents.talk]\ncommand = [\"cat\"]\ninteractive = [\"./talk\", \"--task\", \"{task}\"]\n");
  }
  std::string start(const Words& more = {}) {
    Words words = {"work", "on", "demo", "--agent", "talk"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished started = luzia(words);
    EXPECT_EQ(started.code, 0) << started.err;
    std::string id = started.out.substr(0, started.out.find('\n'));
    EXPECT_TRUE(becomes(id, "running"));
    EXPECT_TRUE(wait_until([&] { return luzia({"terminal", "wait", id, "--for", "^ready"}).code == 0; }));
    return id;
  }
};

TEST_F(Session, CanBeDrivenFromOutside) {
  const std::string id = start({"the task"});
  EXPECT_EQ(luzia({"terminal", "send", id, "hello", "there", "--enter"}).code, 0);
  EXPECT_EQ(luzia({"terminal", "wait", id, "--for", "^heard hellothere$", "--timeout", "1m"}).code, 0);
  const Finished screen = luzia({"terminal", "capture", id});
  EXPECT_EQ(screen.out, "ready for --task\nhellothere\nheard hellothere\n");
  EXPECT_EQ(luzia({"terminal", "capture", id, "--lines", "1"}).out, "heard hellothere\n");
  EXPECT_EQ(luzia_json({"terminal", "capture", id})["screen"], screen.out);
  EXPECT_EQ(luzia({"terminal", "send", id, "--literal", "Enter"}).code, 0);
  EXPECT_EQ(luzia({"terminal", "send", id, "Enter"}).code, 0);
  EXPECT_EQ(
      luzia({"terminal", "wait", id, "--for", "^heard Enter$", "--idle", "100ms", "--timeout", "1m"}).code,
      0);
  EXPECT_EQ(luzia({"terminal", "send", id, "bye", "--enter-delay", "10ms"}).code, 0);
  EXPECT_EQ(ended(id)["exit_code"], 6);
  EXPECT_EQ(recorded(id),
            "ready for --task\r\nhellothere\r\nheard hellothere\r\nEnter\r\nheard Enter\r\nbye\r\n");
  expect_nothing_left(id);
}

TEST_F(Session, WithoutATaskItsOptionIsOmitted) {
  const std::string id = start();
  EXPECT_EQ(luzia({"terminal", "capture", id}).out, "ready for\n");
  luzia({"cancel", id});
  ended(id);
}

TEST_F(Session, PeopleJoinAndLeave) {
  TerminalProgram person(command({"work", "on", "demo", "--agent", "talk"}), terminal_environment(), 90, 30);
  ASSERT_TRUE(person.shows("ready for")) << person.output();
  const std::string id = running_job();
  person.type(
      "\x02"
      "d");
  EXPECT_EQ(person.end(), 0);
  EXPECT_FALSE(person.is_raw());
  EXPECT_THAT(person.output(), HasSubstr("luzia attach " + id));
  EXPECT_EQ(state(id), "running");
  TerminalProgram again(command({"attach", id}), terminal_environment(), 90, 30);
  ASSERT_TRUE(again.shows("ready for")) << again.output();
  again.type("bye\r");
  EXPECT_EQ(again.end(), 0);
  EXPECT_EQ(ended(id)["exit_code"], 6);
  expect_nothing_left(id);
}

TEST_F(Session, ReturnsTheAgentsExitCode) {
  TerminalProgram person(command({"work", "on", "demo", "--agent", "talk"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready for")) << person.output();
  person.type("bye\r");
  EXPECT_EQ(person.end(), 6);
}

TEST_F(Session, CancelEndsAgentAndServer) {
  const std::string id = start();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  expect_nothing_left(id);
  EXPECT_EQ(luzia({"terminal", "send", id, "x"}).code, 4);
}

TEST_F(Session, KilledServerClosesTheTerminal) {
  const std::string id = start();
  pid_t server = 0;
  for (const pid_t pid : processes_of(id)) {
    if (read_text("/proc/" + std::to_string(pid) + "/comm") == "tmux: server\n") server = pid;
  }
  ASSERT_NE(server, 0);
  ::kill(server, SIGKILL);
  EXPECT_EQ(ended(id)["signal"], SIGHUP);
  expect_nothing_left(id);
}

TEST_F(Session, WaitTimeoutIsReported) {
  const std::string id = start();
  const Finished waited = luzia({"terminal", "wait", id, "--for", "never", "--timeout", "300ms"});
  EXPECT_EQ(waited.code, 1);
  EXPECT_THAT(waited.err, HasSubstr("not yet after 300ms"));
  EXPECT_EQ(luzia({"terminal", "wait", id, "--for", "("}).code, 2);
  EXPECT_EQ(luzia({"terminal", "wait", id}).code, 2);
  EXPECT_EQ(luzia({"terminal", "dance", id}).code, 2);
  luzia({"cancel", id});
  ended(id);
}

TEST_F(Session, PlainTerminalIsNoSession) {
  TerminalProgram person(command({"demo", "echo ready; read line", "--fg"}), terminal_environment());
  ASSERT_TRUE(person.shows("ready")) << person.output();
  const Finished captured = luzia({"terminal", "capture", running_job()});
  EXPECT_EQ(captured.code, 4);
  EXPECT_THAT(captured.err, HasSubstr("it has none"));
  person.type("\r");
  EXPECT_EQ(person.end(), 0);
}

TEST_F(Session, WithoutTmuxItIsRefusedWithTheFix) {
  write_text(path("no-tmux-luziad"), "#!/bin/sh\nPATH=/nowhere exec " + kLuziad + " \"$@\"\n");
  ASSERT_EQ(::chmod(path("no-tmux-luziad").c_str(), 0755), 0);
  const Finished refused =
      luzia({"work", "on", "demo", "--agent", "talk"}, {}, {"LUZIA_DAEMON=" + path("no-tmux-luziad")});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("apt install tmux"));
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
}

/// A pane that is not Luzia's, on the test's own tmux server.
class ForeignPane : public TerminalTest {
 protected:
  ForeignPane() {
    // Stands for docker exec or ssh: words in front of tmux.
    write_text(path("inside"), "#!/bin/sh\necho \"$*\" >> " + path("calls") +
                                   "\ntool=$1; shift\n"
                                   "exec \"$tool\" -S " +
                                   path("own.sock") + " -f /dev/null \"$@\"\n");
    EXPECT_EQ(::chmod(path("inside").c_str(), 0755), 0);
    const Finished started = run_to_end({"/usr/bin/tmux", "-S", path("own.sock"), "-f", "/dev/null",
                                         "new-session", "-d", "-s", "agents", "sh"},
                                        environment({"PS1=box$ "}));
    EXPECT_EQ(started.code, 0) << started.err;
  }
  ~ForeignPane() override {
    run_to_end({"/usr/bin/tmux", "-S", path("own.sock"), "kill-server"}, environment());
  }
  Finished terminal(Words words) const {
    words.insert(words.begin(), "terminal");
    words.insert(words.end(), {"--target", "agents:0", "--prefix", path("inside")});
    return luzia(words);
  }
};

TEST_F(ForeignPane, IsDrivenByAPrefixWithoutAShell) {
  EXPECT_EQ(terminal({"wait", "--shell-prompt", "--timeout", "1m"}).code, 0);
  EXPECT_EQ(terminal({"send", "echo '$(id)'; printf '\\033]0;x\\007\\n';", "--enter"}).code, 0);
  EXPECT_EQ(terminal({"wait", "--for", "^\\$\\(id\\)$", "--shell-prompt", "--timeout", "1m"}).code, 0);
  EXPECT_THAT(terminal({"capture"}).out, HasSubstr("\n$(id)\n"));
  EXPECT_THAT(read_text(path("calls")), HasSubstr("tmux send-keys -t agents:0 -- echo '$(id)'"));
  const Finished missing = luzia({"terminal", "capture", "--target", "nobody:7", "--prefix", path("inside")});
  EXPECT_EQ(missing.code, 4);
  EXPECT_THAT(missing.err, HasSubstr("can't find"));
}

}  // namespace
}  // namespace luzia
