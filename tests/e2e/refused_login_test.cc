// Agents whose service refuses their login, with a real daemon and a script that prints what Claude Code
// prints.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class RefusedLoginTest : public DaemonTest {
 protected:
  RefusedLoginTest() {
    std::filesystem::create_directories(home() + "/.claude");
    log_in("expired");
    // Like Claude Code, it ends with 1 while its login does not hold.
    script("claude",
           "cat > /dev/null; echo run >> runs\n"
           "if ! grep -q good \"$HOME/.claude/.credentials.json\"; then\n"
           "  echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":"
           "\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged in\"}]},\"session_id\":"
           "\"s-1\",\"error\":\"authentication_failed\"}'\n"
           "  exit 1\n"
           "fi\n"
           "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\","
           "\"session_id\":\"s-2\",\"num_turns\":1,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}'\n");
  }
  void log_in(const std::string& how) {
    // By rename, as Claude Code does.
    const std::string file = home() + "/.claude/.credentials.json";
    write_text(file + ".new", how);
    std::filesystem::rename(file + ".new", file);
  }
  void with_agent(const std::string& keys) {
    configure(
        "[agents.worker]\ncommand = [\"./claude\"]\nstdin = \"prompt\"\noutput = \"claude-stream-json\"\n" +
        keys);
  }
  std::string run() { return dispatch("do it", {"--agent", "worker"}); }
  bool waits_for_login(const std::string& id) {
    return wait_until([&] { return job(id).value("waiting", Json::object()).value("for", "") == "login"; });
  }
  std::size_t all_events(const std::string& type) {
    const std::vector<Json> all = events();
    return static_cast<std::size_t>(
        std::ranges::count(all, type, [](const Json& event) { return event["type"].get<std::string>(); }));
  }
  std::size_t runs() {
    const std::string text = read_text(project() + "/runs");
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
};

TEST_F(RefusedLoginTest, JobsWaitUntilSomebodyLogsIn) {
  with_agent("");
  const std::string first = run();
  ASSERT_TRUE(waits_for_login(first));
  const std::string second = run();
  ASSERT_TRUE(waits_for_login(second));
  EXPECT_EQ(runs(), 1U) << "the second job must not start to be refused too";
  EXPECT_THAT(luzia({"why", second}).out, HasSubstr("luzia resume --agent worker"));
  const Json alerts = luzia_json({"status"})["alerts"];
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0]["alert"], "login_refused:worker");
  log_in("good");
  EXPECT_EQ(ended(first)["state"], "completed");
  EXPECT_EQ(ended(second)["state"], "completed");
  EXPECT_EQ(runs(), 3U);
  EXPECT_TRUE(wait_until([this] { return luzia_json({"status"})["alerts"].empty(); }));
  expect_verified();
}

TEST_F(RefusedLoginTest, LoginWhileTheRefusedAttemptRunsCounts) {
  with_agent("");
  // It has read its login and is refused later. Each attempt waits for a file of its own.
  script("claude",
         "cat > /dev/null; grep -q good \"$HOME/.claude/.credentials.json\" && exit 0\n"
         "echo run >> runs\nn=$(wc -l < runs)\nwhile ! [ -e go$n ]; do sleep 0.05; done\n"
         "echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":"
         "\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged in\"}]},\"session_id\":"
         "\"s-1\",\"error\":\"authentication_failed\"}'\nexit 1\n");
  const std::string id = run();
  ASSERT_TRUE(wait_until([this] { return runs() == 1; }));
  log_in("expired again");
  write_text(project() + "/go1", "");
  ASSERT_TRUE(wait_until([this] { return runs() == 2; })) << "nobody is asked to log in who has done so";
  // The second time in ten minutes may be the agent's own doing.
  log_in("still expired");
  write_text(project() + "/go2", "");
  ASSERT_TRUE(waits_for_login(id));
  const auto two_looks = std::chrono::steady_clock::now() + std::chrono::seconds(7);
  wait_until([&] { return runs() == 3 || std::chrono::steady_clock::now() > two_looks; });
  EXPECT_EQ(runs(), 2U);
  log_in("good");
  EXPECT_EQ(ended(id)["exit_code"], 0);
  expect_verified();
}

TEST_F(RefusedLoginTest, AKeyAmongItsSecretsIsALoginToo) {
  script("claude",
         "cat > /dev/null; echo run >> runs\n[ \"$ANTHROPIC_API_KEY\" = good-key ] && exit 0\n"
         "echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":"
         "\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged in\"}]},\"session_id\":"
         "\"s-1\",\"error\":\"authentication_failed\"}'\nexit 1\n");
  write_text(path("key"), "expired-key");
  with_agent("[agents.worker.secrets]\nANTHROPIC_API_KEY = { file = \"" + path("key") + "\" }\n");
  const std::string id = run();
  ASSERT_TRUE(waits_for_login(id));
  write_text(path("key"), "good-key");
  ASSERT_TRUE(wait_until([this] { return runs() == 2; }));
  EXPECT_EQ(ended(id)["exit_code"], 0);
}

TEST_F(RefusedLoginTest, NextDaemonTriesOnceMore) {
  with_agent("");
  const std::string id = run();
  ASSERT_TRUE(waits_for_login(id));
  kill_and_start_daemon();
  EXPECT_TRUE(wait_until([this] { return runs() == 2; }));
  ASSERT_TRUE(waits_for_login(id));
  EXPECT_EQ(luzia_json({"status"})["alerts"].size(), 1U);
  EXPECT_EQ(all_events("AlertEnded"), 1U);
  log_in("good");
  EXPECT_EQ(ended(id)["state"], "completed");
  expect_verified();
}

// Nothing on the disk tells what it logs in with, nor did this daemon see its attempt begin.
TEST_F(RefusedLoginTest, UnknownAgentTriesOnceMoreAfterAnAttemptOfAnEarlierDaemon) {
  configure("[agents.worker]\ncommand = [\"./own\"]\nstdin = \"prompt\"\noutput = \"claude-stream-json\"\n");
  script("own",
         "cat > /dev/null; [ -e good ] && exit 0\n"
         "echo run >> runs\nn=$(wc -l < runs)\nwhile ! [ -e go$n ]; do sleep 0.05; done\n"
         "echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":"
         "\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged in\"}]},\"session_id\":"
         "\"s-1\",\"error\":\"authentication_failed\"}'\nexit 1\n");
  const std::string id = run();
  ASSERT_TRUE(wait_until([this] { return runs() == 1; }));
  kill_and_start_daemon();
  write_text(project() + "/good", "");
  write_text(project() + "/go1", "");
  EXPECT_EQ(ended(id)["exit_code"], 0);
  EXPECT_EQ(all_events("AlertRaised"), 1U);
  EXPECT_EQ(all_events("AlertEnded"), 1U);
}

// Two accounts of one agent: the second keeps its login elsewhere.
TEST_F(RefusedLoginTest, LoginIsWatchedWhereTheProfileHasMovedIt) {
  with_agent("env = { CLAUDE_CONFIG_DIR = \"" + path("second") + "\" }\n");
  std::filesystem::create_directories(path("second"));
  write_text(path("second") + "/.credentials.json", "expired");
  script(
      "claude",
      "cat > /dev/null; echo run >> runs\ngrep -q good \"$CLAUDE_CONFIG_DIR/.credentials.json\" && exit 0\n"
      "echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":"
      "\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged in\"}]},\"session_id\":"
      "\"s-1\",\"error\":\"authentication_failed\"}'\nexit 1\n");
  const std::string id = run();
  ASSERT_TRUE(waits_for_login(id));
  write_text(path("second") + "/.credentials.json", "good, and longer");
  EXPECT_EQ(ended(id)["exit_code"], 0);
  EXPECT_EQ(runs(), 2U);
}

TEST_F(RefusedLoginTest, WithoutAWaitTheJobFails) {
  with_agent("login_wait = \"0\"\n");
  const Json row = ended(run());
  EXPECT_EQ(row["state"], "failed");
  EXPECT_TRUE(luzia_json({"status"})["alerts"].empty());
}

}  // namespace
}  // namespace luzia
