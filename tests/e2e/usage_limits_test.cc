// Usage limits and agents' reports about their work, with a real daemon and scripts that print what agents
// print.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class UsageLimitsTest : public DaemonTest {
 protected:
  /// An agent whose first run meets its limit, which resets `seconds` later; later runs complete.
  void limited_agent(int seconds, int limit_resumes, const std::string& more = {}) {
    script("agent",
           "cat > /dev/null\n"
           "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"model\":\"big\"}'\n"
           "if [ ! -e met ]; then\n"
           "  touch met\n"
           "  echo '{\"type\":\"rate_limit_event\",\"session_id\":\"s-1\",\"rate_limit_info\":{\"status\":"
           "\"rejected\",\"rateLimitType\":\"five_hour\",\"resetsAt\":'$(($(date +%s) + " +
               std::to_string(seconds) +
               "))'}}'\n"
               "  exit 1\n"
               "fi\n" +
               result("success", 0.5));
    configure(
        "[agents.limited]\ncommand = [\"./agent\"]\nstdin = \"prompt\"\n"
        "output = \"claude-stream-json\"\nlimit_resumes = " +
        std::to_string(limit_resumes) + "\n" + more);
  }
  static std::string result(const std::string& subtype, double cost) {
    return "echo '{\"type\":\"result\",\"subtype\":\"" + subtype +
           "\",\"is_error\":false,\"result\":\"all done\",\"session_id\":\"s-1\",\"num_turns\":1,"
           "\"total_cost_usd\":" +
           std::to_string(cost) + ",\"usage\":{\"input_tokens\":10,\"output_tokens\":90}}'\n";
  }
  std::string run() { return dispatch("do it", {"--agent", "limited"}); }
};

TEST_F(UsageLimitsTest, JobResumesWhenTheLimitResets) {
  limited_agent(3, 1);
  const std::string id = run();
  const Json end = ended(id);
  EXPECT_EQ(events_of(id, "JobParked").size(), 1U);
  EXPECT_EQ(end["state"], "completed");
  EXPECT_EQ(end["attempts"], 2);
  EXPECT_EQ(end["outcome"], "completed");
  EXPECT_EQ(end["tokens"]["output"], 90);
  EXPECT_EQ(events_of(id, "JobUnparked").size(), 1U);
  EXPECT_EQ(query_json({"cost"})["costs"][0]["cost_usd"], 0.5);
  expect_verified();
}

TEST_F(UsageLimitsTest, AnotherAgentGoesOnAndHearsOfTheFirst) {
  script("other",
         "cat > heard; printf '%s %s\\n' \"$OWN\" \"$SHARED\" > variables\n" + result("success", 0.1));
  limited_agent(
      7'200, 0,
      "fallback = [\"other\"]\nenv = { OWN = \"limited\", SHARED = \"limited\" }\n"
      "[agents.other]\ncommand = [\"./other\"]\nstdin = \"prompt\"\noutput = \"claude-stream-json\"\n"
      "env = { SHARED = \"other\" }\n");
  const std::string id = dispatch("do it well", {"--agent", "limited"});
  const Json end = ended(id);
  EXPECT_EQ(end["state"], "completed");
  EXPECT_EQ(end["agent"], "other");
  EXPECT_EQ(end["own_agent"], "limited");
  const auto changes = events_of(id, "JobRerouted");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0]["data"]["from"], "limited");
  const std::string heard = read_text(project() + "/heard");
  EXPECT_THAT(heard, testing::HasSubstr("do it well"));
  EXPECT_THAT(heard, testing::HasSubstr("Another agent, limited, worked on this task and could not go on."));
  EXPECT_EQ(read_text(project() + "/variables"), " other\n") << "its environment is its own";
  const std::string next = dispatch("do more", {"--agent", "limited"});
  EXPECT_EQ(ended(next)["agent"], "other");
  const std::string alone = dispatch("and wait", {"--agent", "limited", "--fallback", "none"});
  EXPECT_TRUE(wait_until(
      [&] { return job(alone).value("waiting", Json::object()).value("for", "") == "usage_limit"; }));
  expect_refused({"dispatch", "demo", "x", "--agent", "limited", "--fallback", "limited"}, 2,
                 "agent limited cannot stand in for itself");
  expect_refused({"dispatch", "demo", "x", "--agent", "limited", "--fallback", "shell"}, 2,
                 "executes the task as a command");
  expect_refused({"dispatch", "demo", "x", "--agent", "limited", "--fallback", "nosuch"}, 2,
                 "no agent 'nosuch'");
  expect_verified();
}

TEST_F(UsageLimitsTest, ResetInWordsIsLocalTime) {
  script("agent",
         "cat > /dev/null\n"
         "at=$(LC_ALL=C date -d @$(($(date +%s) / 60 * 60 + 7200)) '+%b %-dth, %Y %-I:%M %p')\n"
         "said='\"You\u2019ve hit your usage limit. Try again at '$at'.\"'\n"
         "echo '{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}'\n"
         "echo '{\"type\":\"error\",\"message\":'$said'}'\n"
         "echo '{\"type\":\"turn.failed\",\"error\":{\"message\":'$said'}}'\n"
         "exit 1\n");
  configure("[agents.limited]\ncommand = [\"./agent\"]\nstdin = \"prompt\"\noutput = \"codex-json\"\n");
  const std::string id = run();
  ASSERT_TRUE(becomes(id, "parked"));
  const auto limits = events_of(id, "LimitReached");
  ASSERT_FALSE(limits.empty());
  constexpr std::int64_t kMinuteUs = 60'000'000;
  const std::int64_t told = limits[0]["time_us"], reset = limits[0]["data"]["resets_us"];
  EXPECT_EQ(reset % kMinuteUs, 0);
  EXPECT_GT(reset - told, 115 * kMinuteUs);
  EXPECT_LE(reset - told, 121 * kMinuteUs);
  EXPECT_EQ(events_of(id, "AgentErrorReported").size(), 1U);
  expect_verified();
}

TEST_F(UsageLimitsTest, PersonResumesJobAndAgent) {
  limited_agent(7'200, 0);
  const std::string id = run();
  ASSERT_TRUE(becomes(id, "parked"));
  const std::string other = run();
  EXPECT_EQ(job(other).at("waiting")["for"], "usage_limit");
  kill_and_start_daemon();
  EXPECT_EQ(job(other).at("waiting")["for"], "usage_limit");
  EXPECT_EQ(job(id)["limit"], "five_hour");
  EXPECT_EQ(job(id)["limits_reached"], Json::array({"five_hour"}));
  EXPECT_EQ(luzia({"resume", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(ended(other)["state"], "completed");
  expect_verified();
}

/// The output of Gemini CLI 0.61.0, shortened. It ends this way at its limit, and keeps a session only if its
/// service has answered in it.
class GeminiLimitTest : public UsageLimitsTest {
 protected:
  void gemini_agent(int tokens_before, const std::string& more = {}) {
    const std::string used = std::to_string(tokens_before);
    script("agent",
           "cat > /dev/null; echo \"run $*\" >> runs\n"
           "echo '{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"349a0077\",\"model\":\"pro\"}'\n"
           "if [ ! -e met ]; then\n"
           "  touch met\n"
           "  echo "
           "'{\"type\":\"result\",\"timestamp\":\"t\",\"status\":\"error\",\"error\":{\"type\":\"unknown\","
           "\"message\":\"[API Error: You have exhausted your daily quota on this model.]\"},\"stats\":{"
           "\"total_tokens\":" +
               used + ",\"input_tokens\":" + used +
               ",\"output_tokens\":0,\"cached\":0}}'\n"
               "  exit 173\n"
               "fi\n"
               "echo "
               "'{\"type\":\"result\",\"timestamp\":\"t\",\"status\":\"success\",\"stats\":{\"total_tokens\":"
               "200,"
               "\"input_tokens\":170,\"output_tokens\":30,\"cached\":50}}'\n");
    configure(
        "[agents.limited]\ncommand = [\"./agent\"]\nresume = [\"./agent\", \"--resume\", \"{session_id}\"]\n"
        "stdin = \"prompt\"\noutput = \"gemini-stream-json\"\n" +
        more);
  }
  std::string runs_after_the_limit() {
    const std::string id = run();
    EXPECT_TRUE(becomes(id, "parked"));
    EXPECT_EQ(luzia({"resume", id}).code, 0);
    EXPECT_EQ(ended(id)["state"], "completed");
    expect_verified();
    return read_text(project() + "/runs");
  }
};

TEST_F(GeminiLimitTest, SessionWithoutAnAnswerIsNotResumed) {
  gemini_agent(0);
  EXPECT_EQ(runs_after_the_limit(), "run \nrun \n");
}

TEST_F(UsageLimitsTest, SessionWithoutTokenCountsIsResumed) {
  script("agent",
         "cat > /dev/null; echo \"run $*\" >> runs\n"
         "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"model\":\"local\"}'\n"
         "counts() { echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":'$1',\"session_id\":"
         "\"s-1\",\"total_cost_usd\":0,\"usage\":{\"input_tokens\":0,\"output_tokens\":0}}'; }\n"
         "[ -e met ] && counts false && exit 0\n"
         "touch met\n"
         "echo '{\"type\":\"rate_limit_event\",\"session_id\":\"s-1\",\"rate_limit_info\":{\"status\":"
         "\"rejected\",\"rateLimitType\":\"five_hour\",\"resetsAt\":'$(($(date +%s) + 7200))'}}'\n"
         "counts true\n"
         "exit 1\n");
  configure(
      "[agents.limited]\ncommand = [\"./agent\"]\nresume = [\"./agent\", \"--resume\", \"{session_id}\"]\n"
      "stdin = \"prompt\"\noutput = \"claude-stream-json\"\n");
  const std::string id = run();
  ASSERT_TRUE(becomes(id, "parked"));
  EXPECT_EQ(luzia({"resume", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/runs"), "run \nrun --resume s-1\n");
}

TEST_F(GeminiLimitTest, UsedSessionIsResumed) {
  gemini_agent(300);
  EXPECT_EQ(runs_after_the_limit(), "run \nrun --resume 349a0077\n");
}

TEST_F(GeminiLimitTest, WorkOfAnotherAgentMakesNoUseOfItsSession) {
  script("other",
         "cat > /dev/null\n"
         "echo '{\"type\":\"rate_limit_event\",\"session_id\":\"s-1\",\"rate_limit_info\":{\"status\":"
         "\"rejected\",\"rateLimitType\":\"five_hour\",\"resetsAt\":'$(($(date +%s) + 7200))'}}'\n" +
             result("error", 0.5) + "exit 1\n");
  gemini_agent(0,
               "fallback = [\"other\"]\n[agents.other]\ncommand = [\"./other\"]\nstdin = \"prompt\"\n"
               "output = \"claude-stream-json\"\n");
  const std::string id = run();
  ASSERT_TRUE(wait_until([&] { return events_of(id, "JobParked").size() == 2; }));
  EXPECT_EQ(luzia({"resume", "--agent", "limited"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "JobRerouted").size(), 2U);
  EXPECT_EQ(read_text(project() + "/runs"), "run \nrun \n");
  expect_verified();
}

TEST_F(UsageLimitsTest, PersonResumesOnlyTheAgent) {
  limited_agent(7'200, 0);
  const std::string id = run();
  ASSERT_TRUE(becomes(id, "parked"));
  const std::string other = run();
  const Words words = {"resume", "--agent", "limited", "--note", "bought more", "--command-id", "r-1"};
  EXPECT_EQ(luzia(words).code, 0);
  EXPECT_EQ(luzia(words).code, 0);
  EXPECT_EQ(ended(other)["state"], "completed");
  EXPECT_EQ(state(id), "parked");
  kill_and_start_daemon();
  EXPECT_EQ(ended(run())["state"], "completed");
  std::size_t unparked = 0;
  for (const Json& event : events()) {
    if (event["type"] != "AgentUnparked") continue;
    ++unparked;
    EXPECT_EQ(event["data"]["note"], "bought more");
  }
  EXPECT_EQ(unparked, 1U);
  luzia({"cancel", id});
  expect_verified();
}

TEST_F(UsageLimitsTest, AgentsReportedEndCountsBesideTheExitCode) {
  script("agent", "cat > /dev/null\n" + result("error_max_turns", 0.25));
  configure("[agents.limited]\ncommand = [\"./agent\"]\noutput = \"claude-stream-json\"\n");
  const Json end = ended(run());
  EXPECT_EQ(end["state"], "failed");
  EXPECT_EQ(end["reason"], "agent_failed");
  EXPECT_EQ(end["outcome"], "max_turns");
  EXPECT_EQ(end["exit_code"], 0);
}

}  // namespace
}  // namespace luzia
