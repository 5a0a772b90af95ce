// How sessions of agents are opened in a terminal.
#include "tools/luziad/attempts/terminal_jobs.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

class SessionAtTerminal : public testing::Test {
 protected:
  SessionAtTerminal() {
    for (const Agent& agent : known_agents()) config_.agents.emplace(agent.name, agent.profile);
  }
  std::vector<std::string> command(const std::string& agent) const {
    return session_at_terminal(config_, agent, {}).command;
  }
  void set(const std::string& agent, std::vector<std::string> words, std::vector<std::string> interactive) {
    config_.agents[agent].command = std::move(words);
    config_.agents[agent].interactive = std::move(interactive);
  }

 private:
  Config config_;
};

TEST_F(SessionAtTerminal, EachAgentOpensItInItsOwnWay) {
  EXPECT_THAT(command("claude"), ElementsAre("claude", "--resume", "{session_id}"));
  EXPECT_THAT(command("codex"), ElementsAre("codex", "resume", "{session_id}"));
  EXPECT_THAT(command("gemini"), ElementsAre("gemini", "--resume", "{session_id}"));
  EXPECT_THAT(command("opencode"), ElementsAre("opencode", "--session", "{session_id}"));
  EXPECT_THAT(command("qwen"), ElementsAre("qwen", "--resume", "{session_id}"));
  EXPECT_EQ(command("copilot").back(), "--resume={session_id}");
}

TEST_F(SessionAtTerminal, ProfileOfAKnownProgramMayHaveItsOwnWords) {
  set("mine", {"/opt/bin/claude", "-p"}, {"/opt/bin/claude", "--model", "big", "{task}"});
  EXPECT_THAT(command("mine"), ElementsAre("/opt/bin/claude", "--model", "big", "--resume", "{session_id}"));
  set("mine", {"claude", "-p"}, {});
  EXPECT_THAT(command("mine"), ElementsAre("claude", "--resume", "{session_id}"));
}

TEST_F(SessionAtTerminal, OthersOpenNone) {
  EXPECT_THAT(command("gone"), IsEmpty());
  set("tool", {"mytool", "{task}"}, {"mytool", "{task}"});
  EXPECT_THAT(command("tool"), IsEmpty());
  set("claude", {"claude", "-p"}, {"sh", "-c", "exec claude", "{task}"});
  EXPECT_THAT(command("claude"), IsEmpty()) << "words behind a shell's code do not reach the agent";
  set("claude", {"claude", "-p"}, {"claude", "do: {task}"});
  EXPECT_THAT(command("claude"), IsEmpty()) << "it would get the task once more";
}

TEST_F(SessionAtTerminal, TerminalHasTheSizeOfTheCallers) {
  wire::AttachJobT request;
  request.columns = 101;
  request.rows = 33;
  const auto run = session_at_terminal({}, "claude", request);
  EXPECT_EQ(run.columns, 101);
  EXPECT_EQ(run.rows, 33);
  EXPECT_EQ(session_at_terminal({}, "claude", {}).columns, 80);
}

}  // namespace
}  // namespace luzia
