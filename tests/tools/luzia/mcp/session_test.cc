// An MCP session: versions, unknown methods, malformed messages, concurrent calls.
#include "tests/tools/luzia/mcp/client_side.h"

namespace luzia::mcp {
namespace {

using SessionTest = ClientSide;

Json request(const char* method, const Json& params = Json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
}

TEST_F(SessionTest, ClientGetsItsVersionOrTheNewest) {
  for (const auto& [asked, given] :
       {std::pair{"2025-06-18", "2025-06-18"}, std::pair{"2025-11-25", "2025-11-25"},
        std::pair{"2024-11-05", "2025-11-25"}, std::pair{"later", "2025-11-25"}}) {
    say(request("initialize", {{"protocolVersion", asked}, {"capabilities", Json::object()}}));
    const Json answer = heard();
    EXPECT_EQ(answer["result"]["protocolVersion"], given);
    EXPECT_EQ(answer["result"]["serverInfo"]["name"], "luzia");
    EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
  }
}

TEST_F(SessionTest, InvalidVersionGetsTheNewest) {
  say(request("initialize", {{"protocolVersion", 7}}));
  EXPECT_EQ(heard()["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(SessionTest, UnknownMethodsAreRefused) {
  for (const char* method : {"server/discover", "resources/list", "prompts/list", "", "tools/List"}) {
    say(request(method));
    EXPECT_EQ(heard()["error"]["code"], -32601) << method;
  }
}

TEST_F(SessionTest, PingIsAnsweredAndNotificationsAreNot) {
  say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})");
  say(R"({"jsonrpc":"2.0","method":"notifications/of/some/later/version"})");
  say(R"({"jsonrpc":"2.0","id":4,"result":{}})");
  say("   \r");
  say(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(heard(), Json::parse(R"({"jsonrpc":"2.0","id":"p","result":{}})"));
}

struct Broken {
  const char* line;
  int code;
  const char* id = "null";
};

TEST_F(SessionTest, BrokenMessagesDoNotEndTheSession) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Broken lines[] = {
      {"{", -32700},
      {"nonsense", -32700},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700},
      {"\"\xc3\"", -32700},
      {deep.c_str(), -32700},
      {R"({"id":1e999})", -32700},
      {"[]", -32600},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600},
      {"null", -32600},
      {"12", -32600},
      {"{}", -32600},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":1})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":"x","method":"ping","params":[]})", -32602, "\"x\""},
      {R"({"jsonrpc":"2.0","id":2,"method":"tools/call"})", -32602, "2"},
      {R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}})", -32602, "2"},
      {R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rm"}})", -32602, "2"},
      {R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_user","arguments":[]}})",
       -32602, "2"},
  };
  for (const Broken& broken : lines) {
    say(std::string(broken.line));
    const Json answer = heard();
    EXPECT_EQ(answer["error"]["code"], broken.code) << std::string_view(broken.line).substr(0, 100);
    EXPECT_EQ(answer["id"], Json::parse(broken.id)) << std::string_view(broken.line).substr(0, 100);
  }
  session.refuse_long_line();
  EXPECT_EQ(heard()["error"]["code"], -32600);
  say(request("ping"));
  EXPECT_EQ(heard()["result"], Json::object());
}

TEST_F(SessionTest, LoneSurrogatesAreReplaced) {
  say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_questions",)"
      R"("arguments":{"job":"a\ud83db\ude00\ud83d\ude00"}}})");
  EXPECT_EQ(heard()["result"]["content"][0]["text"],
            "requests of 'a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xf0\x9f\x98\x80', open");
}

TEST_F(SessionTest, EveryToolHasAValidSchema) {
  say(request("tools/list"));
  const Json tools = heard()["result"]["tools"];
  std::vector<std::string> names;
  for (const Json& tool : tools) {
    names.push_back(tool["name"]);
    EXPECT_FALSE(tool["title"].get<std::string>().empty());
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_TRUE(tool["annotations"]["readOnlyHint"].is_boolean());
    for (const auto& [name, property] : tool["inputSchema"]["properties"].items()) {
      const Json& types = property["type"];
      EXPECT_TRUE(types.is_string() || (types.is_array() && types.size() > 1 && types[0].is_string()))
          << name;
    }
  }
  EXPECT_THAT(names, UnorderedElementsAre("report_progress", "report_warning", "ask_user", "request_approval",
                                          "permission_prompt", "job_status", "list_questions", "store_fact",
                                          "query_relations", "search_context", "search_solutions",
                                          "record_solution", "list_tools", "complete_step", "get_context",
                                          "list_todos", "add_todo", "take_todo", "complete_todo"));
}

std::vector<std::string> names_in(const Json& tools) {
  std::vector<std::string> names;
  for (const Json& tool : tools) names.push_back(tool["name"]);
  return names;
}

/// Gemini CLI hides every tool named ask_user from models unless a person is at the terminal.
TEST_F(SessionTest, GeminiGetsTheQuestionToolUnderAnotherName) {
  // The lines that Gemini CLI 0.61.0 sends.
  say(R"({"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":)"
      R"({"roots":{"listChanged":true}},"clientInfo":{"name":"gemini-cli-mcp-client","version":"0.61.0"}},)"
      R"("jsonrpc":"2.0","id":0})");
  EXPECT_THAT(heard()["result"]["instructions"].get<std::string>(), HasSubstr("Ask with ask_person when"));
  say(R"({"method":"notifications/initialized","jsonrpc":"2.0"})");
  say(R"({"method":"tools/list","params":{},"jsonrpc":"2.0","id":1})");
  const auto names = names_in(heard()["result"]["tools"]);
  EXPECT_THAT(names, Contains("ask_person"));
  EXPECT_THAT(names, Not(Contains("ask_user")));
  EXPECT_EQ(names.size(), all_tools().size());
  EXPECT_EQ(text_of("ask_person", {{"question", "Which port?"}, {"options", {"80", "8080"}}}), "an answer");
  EXPECT_EQ(text_of("ask_user", {{"question", "Which port?"}}), "an answer");
}

/// Gemini would take the answer 8080 for structured content and refuse it: "expected record, received
/// number".
TEST_F(SessionTest, GeminiGetsPlainTextResults) {
  const Json arguments = {{"question", "Which port?"}};
  EXPECT_FALSE(result_of("ask_user", arguments).contains("structuredContent"));
  say(request("initialize", {{"clientInfo", {{"name", "gemini-cli-mcp-client"}, {"version", "0.61.0"}}}}));
  heard();
  const Json result = result_of("ask_person", arguments);
  EXPECT_EQ(result["content"][0]["text"], "an answer");
  EXPECT_EQ(result["structuredContent"], (Json{{"text", "an answer"}}));
  EXPECT_EQ(result["isError"], false);
  const Json mistake = result_of("ask_person", {{"question", 7}});
  EXPECT_EQ(mistake["structuredContent"]["text"], mistake["content"][0]["text"]);
}

TEST_F(SessionTest, WhatWasToldStandsBesideTheResultOnce) {
  door.to_tell = "A person (ada) says";
  const Json told = result_of("report_progress", {{"percent", 4}});
  EXPECT_EQ(told["content"], (Json::array({{{"type", "text"}, {"text", "recorded"}},
                                           {{"type", "text"}, {"text", "A person (ada) says"}}})));
  EXPECT_EQ(result_of("report_progress", {{"percent", 5}})["content"].size(), 1U);
  door.to_tell = "more";
  result_of("permission_prompt", {{"tool_name", "Write"}, {"input", Json::object()}, {"tool_use_id", "t"}});
  EXPECT_EQ(door.to_tell, "more") << "no model reads the answer to a permission prompt";
  EXPECT_EQ(result_of("ask_user", {{"question", 7}})["isError"], true);
  EXPECT_EQ(door.to_tell, "more");
  say(request("initialize", {{"clientInfo", {{"name", "gemini-cli-mcp-client"}, {"version", "0.61.0"}}}}));
  heard();
  EXPECT_EQ(result_of("report_progress", {{"percent", 6}})["structuredContent"],
            (Json{{"text", "recorded"}, {"told", "more"}}));
}

TEST_F(SessionTest, WhatAClientDidNotReceiveIsNotConfirmed) {
  door.to_tell = "A person (ada) says";
  is_gone = true;
  call(1, "report_progress", {{"percent", 4}});
  session.end();
  EXPECT_EQ(door.reports.size(), 1U);
  EXPECT_EQ(door.to_tell, "A person (ada) says");
}

TEST_F(SessionTest, OtherClientsGetAskUser) {
  for (const Json& client : {Json{{"name", "claude-code"}}, Json{{"name", 7}}, Json("gemini-cli"), Json()}) {
    say(request("initialize", {{"protocolVersion", "2025-06-18"}, {"clientInfo", client}}));
    EXPECT_THAT(heard()["result"]["instructions"].get<std::string>(), HasSubstr("Ask with ask_user when"));
    say(request("tools/list"));
    const auto names = names_in(heard()["result"]["tools"]);
    EXPECT_THAT(names, Contains("ask_user")) << client;
    EXPECT_THAT(names, Not(Contains("ask_person"))) << client;
  }
}

TEST_F(SessionTest, WaitingQuestionDoesNotBlockReports) {
  door.hold();
  call(1, "ask_user", {{"question", "Go on?"}});
  door.await_arrivals(1);
  call(2, "report_progress", {{"percent", 40}});
  EXPECT_EQ(heard()["id"], 2);
  door.let_go();
  EXPECT_EQ(heard()["id"], 1);
}

TEST_F(SessionTest, ReportsKeepTheirOrder) {
  constexpr int kReports = 50;
  for (int i = 0; i < kReports; ++i) call(i, "report_progress", {{"percent", i}});
  for (int i = 0; i < kReports; ++i) EXPECT_EQ(heard()["id"], i);
  ASSERT_EQ(door.reports.size(), static_cast<std::size_t>(kReports));
  for (int i = 0; i < kReports; ++i) {
    EXPECT_EQ(door.reports[static_cast<std::size_t>(i)].AsProgressReported()->progress_percent, i);
  }
}

TEST_F(SessionTest, SeveralQuestionsWaitConcurrently) {
  door.hold();
  for (int id = 0; id < 10; ++id) call(id, "ask_user", {{"question", "number " + std::to_string(id)}});
  door.await_arrivals(10);
  door.let_go();
  std::set<int> ids;
  for (int i = 0; i < 10; ++i) ids.insert(heard()["id"].get<int>());
  EXPECT_EQ(ids.size(), 10U);
}

TEST_F(SessionTest, CanceledCallIsNotAnswered) {
  door.hold();
  call(1, "ask_user", {{"question", "Go on?"}});
  door.await_arrivals(1);
  say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}})");
  session.end();
  EXPECT_THAT(door.stops, ElementsAre(StopReason::cancelled));
  EXPECT_EQ(unheard(), 0U);
  EXPECT_TRUE(door.confirmed.empty());
}

TEST_F(SessionTest, ClientsEndStopsOnlyWaitingCalls) {
  door.hold();
  call(1, "ask_user", {{"question", "Go on?"}});
  door.await_arrivals(1);
  for (int i = 2; i < 12; ++i) call(i, "report_progress", {{"percent", i}});
  session.end();
  EXPECT_THAT(door.stops, ElementsAre(StopReason::ended));
  EXPECT_EQ(door.reports.size(), 10U);
}

TEST_F(SessionTest, DuplicateIdsAndTooManyCallsAreRefused) {
  door.hold();
  call(0, "ask_user", {{"question", "Go on?"}});
  call(0, "ask_user", {{"question", "Go on?"}});
  EXPECT_EQ(heard()["error"]["code"], -32600);
  for (std::size_t id = 1; id < kMostCalls; ++id) {
    call(static_cast<int>(id), "ask_user", {{"question", "Go on?"}});
  }
  door.await_arrivals(kMostCalls);
  call(1000, "report_progress", {{"percent", 1}});
  EXPECT_THAT(heard()["error"]["message"].get<std::string>(), HasSubstr("too many"));
  door.let_go();
  for (std::size_t id = 0; id < kMostCalls; ++id) EXPECT_TRUE(heard().contains("result"));
  // The slots for calls are free again.
  EXPECT_EQ(text_of("report_progress", {{"percent", 1}}), "recorded");
}

TEST_F(SessionTest, ProgressTokenGetsWaitingNotices) {
  door.ticks = 2;
  call(1, "ask_user", {{"question", "Go on?"}}, {{"progressToken", "t"}});
  for (int told = 1; told <= 2; ++told) {
    const Json note = heard();
    EXPECT_EQ(note["method"], "notifications/progress");
    EXPECT_EQ(note["params"]["progressToken"], "t");
    EXPECT_EQ(note["params"]["progress"], told);
    EXPECT_FALSE(note.contains("id"));
  }
  EXPECT_EQ(heard()["id"], 1);
  call(2, "ask_user", {{"question", "Go on?"}});
  EXPECT_EQ(heard()["id"], 2);
}

TEST_F(SessionTest, AnswerIsConfirmedOnceWritten) {
  EXPECT_EQ(text_of("ask_user", {{"question", "Go on?"}}), "an answer");
  door.await_confirmed(1);
  EXPECT_THAT(door.confirmed, ElementsAre("job-1/q-Go on?"));
}

}  // namespace
}  // namespace luzia::mcp
