// luzia mcp in a job with a real daemon: calls that wait for a person survive the end of the daemon and of
// the client.
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class McpTest : public DaemonTest {
 protected:
  static std::string tool_call(int id, const std::string& tool, const Json& arguments) {
    return Json{{"jsonrpc", "2.0"},
                {"id", id},
                {"method", "tools/call"},
                {"params", {{"name", tool}, {"arguments", arguments}}}}
               .dump() +
           "\n";
  }
  /// A job whose agent sends these messages and stays connected until the file `enough` exists.
  std::string job_with_server(const std::string& messages) const {
    std::ofstream(project() + "/messages") << messages;
    return dispatch("{ cat messages; while [ ! -e enough ]; do sleep 0.05; done; } | " + kLuzia +
                    " mcp > answers");
  }
  void disconnect() const { std::ofstream(project() + "/enough") << ""; }
  std::string answers() const { return read_text(project() + "/answers"); }
  bool is_asked(const std::string& job) const {
    return wait_until([&] { return !events_of(job, "QuestionAsked").empty(); });
  }
};

TEST_F(McpTest, QuestionSurvivesAKilledDaemon) {
  const std::string id =
      job_with_server(tool_call(1, "ask_user", {{"question", "Go on?"}, {"type", "confirm"}}));
  ASSERT_TRUE(is_asked(id));
  kill_and_start_daemon();
  EXPECT_EQ(luzia({"answer", id, "yes"}).code, 0);
  EXPECT_TRUE(wait_until([&] { return !events_of(id, "AnswerDelivered").empty(); }));
  // The answer is still on its way to the program when it is recorded.
  ASSERT_TRUE(wait_until([&] { return answers().ends_with('\n'); }));
  EXPECT_EQ(Json::parse(answers())["result"]["content"][0]["text"], "yes");
  disconnect();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(events_of(id, "QuestionAsked").size(), 1U);
}

TEST_F(McpTest, QuestionOutlivesItsClientUntilTheAttemptsEnd) {
  const std::string id = job_with_server(tool_call(1, "ask_user", {{"question", "Go on?"}}));
  ASSERT_TRUE(is_asked(id));
  disconnect();
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto cancelled = events_of(id, "QuestionCancelled");
  ASSERT_EQ(cancelled.size(), 1U);
  EXPECT_THAT(cancelled.front()["data"].value("reason", ""), HasSubstr("attempt"));
  EXPECT_THAT(events_of(id, "AnswerDelivered"), IsEmpty());
}

TEST_F(McpTest, CanceledCallWithdrawsItsPrompts) {
  const auto cancel = [](int id) {
    return Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}}
               .dump() +
           "\n";
  };
  script("agent.sh",
         "cat ask; while [ ! -e asked ]; do sleep 0.05; done; cat cancel; "
         "while [ ! -e enough ]; do sleep 0.05; done\n");
  std::ofstream(project() + "/ask") << tool_call(1, "ask_user", {{"question", "Go on?"}}) +
                                           tool_call(2, "request_approval",
                                                     {{"gate", "g"}, {"description", "d"}});
  std::ofstream(project() + "/cancel") << cancel(1) + cancel(2);
  const std::string id = dispatch("./agent.sh | " + kLuzia + " mcp > answers");
  ASSERT_TRUE(is_asked(id));
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "ApprovalRequested").empty(); }));
  std::ofstream(project() + "/asked") << "";
  EXPECT_TRUE(wait_until([&] {
    return events_of(id, "QuestionCancelled").size() + events_of(id, "ApprovalCancelled").size() == 2;
  }));
  EXPECT_TRUE(becomes(id, "running"));
  disconnect();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(answers(), IsEmpty());
}

TEST_F(McpTest, ReportsOfAShortLivedAgentAreRecorded) {
  std::string messages;
  for (int i = 1; i <= 30; ++i) messages += tool_call(i, "report_progress", {{"percent", i}});
  disconnect();
  const std::string id = job_with_server(messages);
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto told = events_of(id, "ProgressReported");
  ASSERT_EQ(told.size(), 30U);
  EXPECT_EQ(told.back()["data"]["progress_percent"], 30);
}

TEST_F(McpTest, HugeLinesAreRefusedInLittleMemory) {
  const std::string huge(64U << 20, 'x');
  const Finished ran = luzia({"mcp"}, huge + "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("longer than 4 MiB"));
  EXPECT_THAT(ran.out, HasSubstr("\"id\":1"));
}

}  // namespace
}  // namespace luzia
