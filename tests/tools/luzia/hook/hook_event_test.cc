// What hooks are told, and what they answer.
#include "tools/luzia/hook/hook_event.h"

#include <gmock/gmock.h>

namespace luzia::hook {
namespace {

using ::testing::HasSubstr;

HookEvent event_of(const Json& fields) {
  const auto event = read_hook_event(json_line(fields));
  EXPECT_TRUE(event.has_value());
  return event.value_or(HookEvent{});
}

TEST(HookEvent, AToolCallIsReadWithItsInput) {
  const auto call = tool_call_of(event_of({{"hook_event_name", "PreToolUse"},
                                           {"tool_name", "Bash"},
                                           {"tool_input", {{"command", "git push"}}},
                                           {"tool_use_id", "toolu_1"}}));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->tool, "Bash");
  EXPECT_EQ(call->call_id, "toolu_1");
  EXPECT_EQ(call->input, (Json{{"command", "git push"}}));
}

TEST(HookEvent, ToolsThatAskAPersonByThemselvesPass) {
  for (const char* tool : {"AskUserQuestion", "mcp__luzia__ask_user", ""}) {
    EXPECT_FALSE(
        tool_call_of(event_of({{"hook_event_name", "PreToolUse"}, {"tool_name", tool}})).has_value());
  }
}

TEST(HookEvent, AToolOfAnotherServerIsNotLuziasOwn) {
  for (const char* tool : {"mcp__luzia__evil__run", "mcp__luzia__", "mcp__luzia__ask_user2", "mcp__luzia"}) {
    EXPECT_TRUE(tool_call_of(event_of({{"hook_event_name", "PreToolUse"}, {"tool_name", tool}})).has_value())
        << tool;
  }
}

/// As Claude Code 2.1.330 tells it, shortened.
TEST(HookEvent, LuziasOwnToolsAreKnownBeforeTheyAreCalled) {
  const auto told = [](const char* name, const char* tool) {
    return event_of({{"hook_event_name", name},
                     {"session_id", "62943cc6-6b67-4360-8416-71cef69aae0d"},
                     {"permission_mode", "default"},
                     {"tool_name", tool},
                     {"tool_input", {{"percent", 40}, {"step_name", "halfway"}}},
                     {"tool_use_id", "toolu_91"},
                     {"mcp_server", {{"name", "luzia"}, {"source", "project"}}}});
  };
  EXPECT_TRUE(calls_own_tool(told("PreToolUse", "mcp__luzia__report_progress")));
  EXPECT_TRUE(calls_own_tool(told("PreToolUse", "mcp__luzia__ask_user")));
  EXPECT_FALSE(calls_own_tool(told("PostToolUse", "mcp__luzia__report_progress")));
  for (const char* tool : {"Bash", "AskUserQuestion", "", "mcp__luzia__evil__run", "mcp__luzia__",
                           "mcp__luzia", "mcp__other__report_progress"}) {
    EXPECT_FALSE(calls_own_tool(told("PreToolUse", tool))) << tool;
  }
}

TEST(HookEvent, OtherEventsAreNoToolCalls) {
  for (const char* name : {"PostToolUse", "Stop", "SubagentStop", "SessionStart", "SomethingLater"}) {
    const auto event = event_of({{"hook_event_name", name}, {"tool_name", "Bash"}});
    EXPECT_FALSE(tool_call_of(event).has_value());
    EXPECT_FALSE(report_of(event).has_value());
  }
}

TEST(HookEvent, ACallNamesTheFolderThatItsAgentIsIn) {
  Json event = {{"hook_event_name", "PreToolUse"}, {"tool_name", "Read"}, {"cwd", "/srv/web"}};
  EXPECT_EQ(tool_call_of(event_of(event))->cwd, "/srv/web");
  event["cwd"] = 7;
  EXPECT_EQ(tool_call_of(event_of(event))->cwd, "");
}

TEST(HookEvent, AnInputThatIsNoObjectCountsAsEmpty) {
  EXPECT_EQ(tool_call_of(event_of({{"hook_event_name", "PreToolUse"}, {"tool_name", "X"}, {"tool_input", 7}}))
                ->input,
            Json::object());
}

TEST(HookEvent, ANotificationBecomesAWarning) {
  auto report =
      report_of(event_of({{"hook_event_name", "Notification"}, {"message", "waits"}, {"title", "Claude"}}));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->AsWarningReported()->message, "Claude: waits");
  EXPECT_EQ(report->AsWarningReported()->warning_type, "NOTIFICATION");
  report = report_of(event_of({{"hook_event_name", "Notification"}, {"message", std::string(20'000, 'x')}}));
  EXPECT_LE(report->AsWarningReported()->message.size(), 4'000U);
  EXPECT_FALSE(report_of(event_of({{"hook_event_name", "Notification"}})).has_value());
}

TEST(HookEvent, BrokenInputIsRefusedAndKnownAsAToolCallWhereItMayBeOne) {
  for (const char* text : {"", "{", "[]", "7", "{}", "{\"hook_event_name\":7}", "\xff"}) {
    const auto event = read_hook_event(text);
    ASSERT_FALSE(event.has_value()) << text;
    EXPECT_EQ(event.error().code, "bad_hook_input");
    EXPECT_FALSE(may_be_tool_call(text));
  }
  const std::string deep = R"({"hook_event_name":"PreToolUse","tool_name":"x","tool_input":)" +
                           std::string(1'000, '[') + std::string(1'000, ']') + "}";
  EXPECT_FALSE(read_hook_event(deep).has_value());
  EXPECT_TRUE(may_be_tool_call(deep));
}

TEST(HookEvent, ADecisionIsOneLine) {
  const std::string line = decision_json("deny", "not\n\"today\"");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(line)["hookSpecificOutput"], (Json{{"hookEventName", "PreToolUse"},
                                                           {"permissionDecision", "deny"},
                                                           {"permissionDecisionReason", "not\n\"today\""}}));
}

}  // namespace
}  // namespace luzia::hook
