// What people read of an agent's JSON output, with a real daemon and a real job.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

constexpr const char* kRun =
    R"({"type":"system","subtype":"init","session_id":"s-1","model":"m","tools":[]}
plain words of a tool
{"type":"assistant","session_id":"s-1","message":{"content":[{"type":"text","text":"I look."}]}}
{"type":"assistant","session_id":"s-1","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}
{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","total_cost_usd":0.01,"session_id":"s-1"}
)";

class LogsTest : public DaemonTest {
 protected:
  LogsTest() {
    configure("[agents.talking]\ncommand = [\"sh\", \"-c\", \"{task}\"]\noutput = \"claude-stream-json\"\n");
    write_text(project() + "/run", kRun);
  }
};

TEST_F(LogsTest, AgentsRunIsReadableAndRawOnRequest) {
  const std::string id = dispatch("cat run", {"--agent", "talking"});
  ended(id);
  constexpr const char* kRead =
      "* session s-1, model m\nplain words of a tool\nI look.\n> Bash: ls\n* completed after 1 turns, "
      "$0.0100\n  ok\n";
  EXPECT_EQ(luzia({"logs", id}).out.substr(0, std::string(kRead).size()), kRead);
  EXPECT_EQ(luzia({"logs", id, "-f"}).out.substr(0, std::string(kRead).size()), kRead);
  EXPECT_EQ(luzia({"logs", id, "--raw"}).out.substr(0, std::string(kRun).size()), kRun);
  const Finished found = luzia({"logs", id, "--grep", "^> Bash"});
  EXPECT_EQ(found.code, 0);
  EXPECT_EQ(found.out, "> Bash: ls\n");
  EXPECT_EQ(luzia({"logs", id, "--grep", "tool_use"}).code, 1) << "people must not see raw JSON";
  const std::string first = luzia({"logs", id, "--json"}).out;
  EXPECT_THAT(first, testing::HasSubstr("session_id")) << "programs get the unchanged lines";
}

TEST_F(LogsTest, LinesAreCountedAsTheyAreShown) {
  std::string unseen;
  for (int i = 0; i < 9'000; ++i) {
    unseen += R"({"type":"stream_event","session_id":"s-1","event":{"delta":"what nobody reads"}})"
              "\n";
  }
  write_text(project() + "/unseen", unseen);
  const std::string id = dispatch("cat run unseen; echo last", {"--agent", "talking"});
  ended(id);
  EXPECT_EQ(luzia({"logs", id, "-n", "1"}).out, "last\n");
  EXPECT_EQ(luzia({"logs", id, "-n", "3"}).out, "* completed after 1 turns, $0.0100\n  ok\nlast\n");
  EXPECT_EQ(luzia({"logs", id, "-n", "2", "-f"}).out, "  ok\nlast\n");
  EXPECT_EQ(luzia({"logs", id, "-n", "1", "--grep", "session|Bash"}).out, "> Bash: ls\n");
  EXPECT_EQ(luzia({"logs", id, "-n", "99"}).out.substr(0, 14), "* session s-1,");
}

TEST_F(LogsTest, ShellOutputIsShownUnchanged) {
  const std::string id = dispatch("cat run; printf ' 5%%\\r 50%%\\r100%%\\n'");
  ended(id);
  const std::string out = luzia({"logs", id}).out;
  EXPECT_EQ(out.substr(0, std::string(kRun).size()), kRun);
  EXPECT_THAT(out, testing::HasSubstr("\n100%\n"));
  EXPECT_THAT(out, testing::Not(testing::HasSubstr("50%")));
}

TEST_F(LogsTest, EndlessFindingsAreOnlyCounted) {
  std::string flood;
  for (int i = 0; i < 3'000; ++i) flood += "::warning file=a.cc,line=1::odd " + std::to_string(i) + "\n";
  write_text(project() + "/flood", flood + "::error::the one that counts\n");
  const std::string id = dispatch("cat flood");
  const Json row = ended(id);
  EXPECT_EQ(row["warnings"], 3'000);
  EXPECT_EQ(row["errors"], 1);
  EXPECT_EQ(row["findings_omitted"], 2'500);
  EXPECT_EQ(events_of(id, "AnnotationFound").size(), 501U);
  const auto limited = events_of(id, "FindingsLimited");
  ASSERT_EQ(limited.size(), 2U);
  EXPECT_EQ(limited[0]["data"]["omitted"], 0);
  EXPECT_EQ(limited[1]["data"]["omitted"], 2'500);
  EXPECT_THAT(luzia({"job", id}).out, testing::HasSubstr("2500 more findings that were counted only"));
  expect_verified();
}

TEST_F(LogsTest, ForgedUsageAddsUp) {
  constexpr const char* kForged =
      R"({"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":1e300,)"
      R"("usage":{"input_tokens":9223372036854775000,"output_tokens":9223372036854775000}})"
      "\n";
  write_text(project() + "/forged", kForged);
  for (int i = 0; i < 3; ++i) ended(dispatch("cat forged", {"--agent", "talking"}));
  const Json rows = query_json({"sql", "SELECT sum(input_tokens) AS tokens, sum(cost_usd) AS usd FROM jobs"});
  EXPECT_EQ(rows["rows"][0]["tokens"], 3'000'000'000'000);
  EXPECT_EQ(rows["rows"][0]["usd"], 3e6);
}

TEST_F(LogsTest, CancelledRunKeepsWhatItsMessagesUsed) {
  constexpr const char* kBegun =
      R"({"type":"assistant","session_id":"s-9","message":{"id":"m1","model":"m","content":[],"usage":{"input_tokens":40,"output_tokens":2}}}
{"type":"assistant","session_id":"s-9","message":{"id":"m1","model":"m","content":[],"usage":{"input_tokens":40,"output_tokens":2}}}
)";
  write_text(project() + "/begun", kBegun);
  const std::string id = dispatch("cat begun; touch ready; exec sleep 600", {"--agent", "talking"});
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(project() + "/ready"); }));
  kill_daemon();
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "killed");
  EXPECT_EQ(row["tokens"]["input"], 40);
  EXPECT_EQ(row["usage_partial"], true);
  EXPECT_EQ(row["session_id"], "s-9") << "no line has introduced it";
  EXPECT_EQ(events_of(id, "UsageReported").size(), 1U);
  EXPECT_THAT(luzia({"job", id}).out, testing::HasSubstr("40 in, 2 out, so far"));
}

}  // namespace
}  // namespace luzia
