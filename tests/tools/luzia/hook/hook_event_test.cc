// The events that hooks receive and their replies.
#include "tools/luzia/agents/hook/hook_event.h"

#include <unistd.h>

#include <cstdlib>
#include <future>

#include "tests/matchers.h"
#include "tools/luzia/agents/hook/message_calls.h"

namespace luzia::hook {
namespace {

HookEvent event_of(const Json& fields) {
  const auto event = read_hook_event(json_line(fields));
  EXPECT_TRUE(event.has_value());
  return event.value_or(HookEvent{});
}

TEST(HookEvent, ToolCallIsReadWithItsInput) {
  const auto call = tool_call_of(event_of({{"hook_event_name", "PreToolUse"},
                                           {"tool_name", "Bash"},
                                           {"tool_input", {{"command", "git push"}}},
                                           {"tool_use_id", "toolu_1"}}));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->tool, "Bash");
  EXPECT_EQ(call->call_id, "toolu_1");
  EXPECT_EQ(call->input, (Json{{"command", "git push"}}));
}

TEST(HookEvent, ToolsThatAskAPersonPass) {
  for (const char* tool : {"AskUserQuestion", "mcp__luzia__ask_user", ""}) {
    EXPECT_FALSE(
        tool_call_of(event_of({{"hook_event_name", "PreToolUse"}, {"tool_name", tool}})).has_value());
  }
}

TEST(HookEvent, ForeignToolIsNotLuzias) {
  for (const char* tool : {"mcp__luzia__evil__run", "mcp__luzia__", "mcp__luzia__ask_user2", "mcp__luzia",
                           "mcp_luzia_ask_user2", "luzia-run", "luzia_"}) {
    EXPECT_TRUE(tool_call_of(event_of({{"hook_event_name", "PreToolUse"}, {"tool_name", tool}})).has_value())
        << tool;
  }
}

/// As Claude Code 2.1.330 sends it, shortened.
TEST(HookEvent, LuziasToolsAreRecognized) {
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

/// As Gemini CLI 0.61, Qwen Code 0.24, Copilot 1.0.102, Codex 0.171 and the opencode plugin send it,
/// shortened.
TEST(HookEvent, EveryAgentsCallHasTheUsualNames) {
  const std::tuple<const char*, Json, const char*, Json> cases[] = {
      {"write_file", {{"file_path", "/w/a"}, {"content", "x"}}, "Write", {{"file_path", "/w/a"}}},
      {"Write", {{"path", "/w/a"}, {"file_text", "x"}}, "Write", {{"file_path", "/w/a"}}},
      {"write", {{"filePath", "/w/a"}, {"content", "x"}}, "Write", {{"file_path", "/w/a"}}},
      {"replace", {{"file_path", "/w/a"}}, "Edit", {{"file_path", "/w/a"}}},
      {"read_file", {{"absolute_path", "/w/a"}}, "Read", {{"file_path", "/w/a"}}},
      {"apply_patch", {{"command", "*** Begin Patch"}}, "Edit", {{"command", "*** Begin Patch"}}},
      {"run_shell_command", {{"command", "rm x"}}, "Bash", {{"command", "rm x"}}},
      {"bash", {{"command", "rm x"}}, "Bash", {{"command", "rm x"}}},
      {"glob", {{"path", "/w"}}, "Glob", {{"path", "/w"}}},
      {"mine", {{"path", "/w"}}, "mine", {{"path", "/w"}}},
  };
  for (const auto& [tool, input, usual, wanted] : cases) {
    const auto call = tool_call_of(
        event_of({{"hook_event_name", "BeforeTool"}, {"tool_name", tool}, {"tool_input", input}}));
    ASSERT_TRUE(call.has_value()) << tool;
    EXPECT_EQ(call->tool, usual);
    for (const auto& [name, value] : wanted.items()) EXPECT_EQ(call->input[name], value) << tool;
  }
}

TEST(HookEvent, PatchNamesItsFiles) {
  const auto file_of = [](const std::string& patch) {
    return tool_call_of(event_of({{"hook_event_name", "PreToolUse"},
                                  {"tool_name", "apply_patch"},
                                  {"tool_input", {{"command", patch}}}}))
        ->input["file_path"];
  };
  EXPECT_EQ(file_of("*** Begin Patch\n*** Add File: /w/a\n+*** Add File: b\n*** End Patch\n"), "/w/a");
  EXPECT_EQ(file_of("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n"),
            (Json{"a", "b", "c"}));
  EXPECT_EQ(file_of("nonsense"), Json::array());
}

TEST(HookEvent, ShellCommandsFolderIsTheCallsFolder) {
  Json event = {{"hook_event_name", "BeforeTool"},
                {"tool_name", "run_shell_command"},
                {"tool_input", {{"command", "rm x"}, {"dir_path", "sub"}}},
                {"cwd", "/w"}};
  EXPECT_EQ(tool_call_of(event_of(event))->cwd, "/w/sub");
  event["tool_input"]["dir_path"] = "/etc";
  EXPECT_EQ(tool_call_of(event_of(event))->cwd, "/etc");
}

TEST(HookEvent, LuziasToolsAreRecognizedInEveryAgent) {
  for (const char* tool : {"mcp_luzia_ask_person", "luzia_report_progress", "luzia-ask_user"}) {
    const auto event = event_of({{"hook_event_name", "BeforeTool"}, {"tool_name", tool}});
    EXPECT_TRUE(calls_own_tool(event)) << tool;
    EXPECT_FALSE(tool_call_of(event).has_value()) << tool;
  }
}

TEST(HookEvent, OnlyAnIdentifiedCallCanBeDeferred) {
  EXPECT_TRUE(may_defer(event_of({{"hook_event_name", "PreToolUse"}, {"tool_use_id", "toolu_1"}})));
  EXPECT_FALSE(may_defer(event_of({{"hook_event_name", "PreToolUse"}})));
  EXPECT_FALSE(may_defer(event_of({{"hook_event_name", "BeforeTool"}, {"tool_use_id", "toolu_1"}})));
}

TEST(HookEvent, OtherEventsAreNoToolCalls) {
  for (const char* name : {"PostToolUse", "Stop", "SubagentStop", "SessionStart", "SomethingLater"}) {
    const auto event = event_of({{"hook_event_name", name}, {"tool_name", "Bash"}});
    EXPECT_FALSE(tool_call_of(event).has_value());
    EXPECT_FALSE(report_of(event).has_value());
  }
}

TEST(HookEvent, CallNamesItsAgentsFolder) {
  Json event = {{"hook_event_name", "PreToolUse"}, {"tool_name", "Read"}, {"cwd", "/srv/web"}};
  EXPECT_EQ(tool_call_of(event_of(event))->cwd, "/srv/web");
  event["cwd"] = 7;
  EXPECT_EQ(tool_call_of(event_of(event))->cwd, "");
}

/// As Claude Code 2.1.197 writes a message's parts to its transcript, shortened.
std::string said(const char* message, const Json& block, const char* stop = "tool_use") {
  const Json reason = stop == nullptr ? Json() : Json(stop);
  return json_line({{"parentUuid", "c514651c"},
                    {"type", "assistant"},
                    {"message", {{"id", message}, {"content", {block}}, {"stop_reason", reason}}}}) +
         '\n';
}
Json call_of(const char* id) {
  return {{"type", "tool_use"}, {"id", id}, {"name", "Bash"}, {"input", {{"command", "make"}}}};
}

TEST(MessageCalls, CallIsAloneIfItsMessageHasNoOther) {
  const std::string text = said("msg_2", {{"type", "text"}, {"text", "toolu_9 and msg_1"}});
  const std::string before = said("msg_1", call_of("toolu_0"));
  const std::string one = said("msg_2", call_of("toolu_1")), two = said("msg_2", call_of("toolu_2"));
  const std::string result =
      R"({"type":"attachment","attachment":{"toolUseID":"toolu_1","hookEvent":"PreToolUse"}})"
      "\n";
  EXPECT_EQ(company_of(before + text + one + result, "toolu_1"), Company::alone);
  EXPECT_EQ(company_of(before + one, "toolu_1"), Company::alone);
  EXPECT_EQ(company_of(one + two, "toolu_1"), Company::others);
  EXPECT_EQ(company_of(one + two, "toolu_2"), Company::others);
}

TEST(MessageCalls, MissingTranscriptPartsAreUnknown) {
  const std::string one = said("msg_1", call_of("toolu_1"));
  EXPECT_EQ(company_of("", "toolu_1"), Company::unknown);
  EXPECT_EQ(company_of(one, ""), Company::unknown);
  EXPECT_EQ(company_of(one, "toolu_2"), Company::unknown) << "a subagent's";
  EXPECT_EQ(company_of(one, "toolu"), Company::unknown) << "a part of an id";
  EXPECT_EQ(company_of(said("msg_1", call_of("toolu_1"), nullptr), "toolu_1"), Company::unknown)
      << "more may come";
  EXPECT_EQ(company_of("toolu_1\n{\"toolu_1\":\n" + one.substr(0, one.size() / 2), "toolu_1"),
            Company::unknown);
}

/// Claude Code runs the hook before it has written the call to the transcript.
TEST(MessageCalls, UnwrittenTranscriptIsWaitedFor) {
  char name[] = "/tmp/luzia-transcript-XXXXXX";
  const int fd = ::mkstemp(name);
  ASSERT_GE(fd, 0);
  auto alone = std::async(std::launch::async, [&] { return is_alone_in_message(name, "toolu_1"); });
  const std::string line = said("msg_1", call_of("toolu_1"));
  EXPECT_EQ(::write(fd, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  EXPECT_TRUE(alone.get());
  const std::string another = said("msg_1", call_of("toolu_2"));
  EXPECT_EQ(::write(fd, another.data(), another.size()), static_cast<ssize_t>(another.size()));
  EXPECT_FALSE(is_alone_in_message(name, "toolu_1"));
  ::close(fd);
  ::unlink(name);
}

TEST(MessageCalls, IrregularTranscriptIsNotWaitedFor) {
  EXPECT_EQ(read_transcript(""), "");
  EXPECT_EQ(read_transcript("/nowhere"), "");
  EXPECT_EQ(read_transcript("/dev/zero"), "");
  EXPECT_EQ(read_transcript("/tmp"), "");
}

TEST(HookEvent, InputThatIsNoObjectCountsAsEmpty) {
  EXPECT_EQ(tool_call_of(event_of({{"hook_event_name", "PreToolUse"}, {"tool_name", "X"}, {"tool_input", 7}}))
                ->input,
            Json::object());
}

TEST(HookEvent, NotificationBecomesAWarning) {
  auto report =
      report_of(event_of({{"hook_event_name", "Notification"}, {"message", "waits"}, {"title", "Claude"}}));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->AsWarningReported()->message, "Claude: waits");
  EXPECT_EQ(report->AsWarningReported()->warning_type, "NOTIFICATION");
  report = report_of(event_of({{"hook_event_name", "Notification"}, {"message", std::string(20'000, 'x')}}));
  EXPECT_LE(report->AsWarningReported()->message.size(), 4'000U);
  EXPECT_FALSE(report_of(event_of({{"hook_event_name", "Notification"}})).has_value());
}

TEST(HookEvent, BrokenInputMayCountAsAToolCall) {
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

TEST(HookEvent, DecisionIsOneLine) {
  const std::string line =
      decision_json(event_of({{"hook_event_name", "PreToolUse"}}), "deny", "not\n\"today\"");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(line)["hookSpecificOutput"], (Json{{"hookEventName", "PreToolUse"},
                                                           {"permissionDecision", "deny"},
                                                           {"permissionDecisionReason", "not\n\"today\""}}));
}

TEST(HookEvent, WhatWasToldGoesWithTheDecisionOrAlone) {
  const auto event = event_of({{"hook_event_name", "PreToolUse"}});
  const Json both = Json::parse(decision_json(event, "allow", "a gate", "A person says"));
  EXPECT_EQ(both["hookSpecificOutput"], (Json{{"hookEventName", "PreToolUse"},
                                              {"permissionDecision", "allow"},
                                              {"permissionDecisionReason", "a gate"},
                                              {"additionalContext", "A person says"}}));
  const Json alone = Json::parse(decision_json(event, "", "", "A person says"));
  EXPECT_EQ(alone["hookSpecificOutput"],
            (Json{{"hookEventName", "PreToolUse"}, {"additionalContext", "A person says"}}))
      << "the agent's own rules decide";
}

TEST(HookEvent, AfterACallTheModelIsOnlyTold) {
  for (const char* name : {"PostToolUse", "AfterTool"}) {
    const auto event =
        event_of({{"hook_event_name", name}, {"tool_name", "Bash"}, {"tool_input", Json::object()}});
    EXPECT_TRUE(is_after_call(event));
    EXPECT_FALSE(tool_call_of(event));
    EXPECT_FALSE(calls_own_tool(event));
    EXPECT_EQ(Json::parse(told_json(event, "one\ntwo"))["hookSpecificOutput"],
              (Json{{"hookEventName", name}, {"additionalContext", "one\ntwo"}}));
  }
  EXPECT_FALSE(is_after_call(event_of({{"hook_event_name", "PreToolUse"}})));
  EXPECT_TRUE(takes_long_texts(event_of({{"hook_event_name", "PostToolUse"}, {"takes_long_texts", true}})));
  EXPECT_FALSE(takes_long_texts(event_of({{"hook_event_name", "PostToolUse"}, {"takes_long_texts", "yes"}})));
  EXPECT_FALSE(takes_long_texts(event_of({{"hook_event_name", "PostToolUse"}})));
}

TEST(HookEvent, GeminiIsAnsweredInItsOwnForm) {
  const auto event = event_of({{"hook_event_name", "BeforeTool"}, {"tool_name", "replace"}});
  EXPECT_EQ(Json::parse(decision_json(event, "deny", "no")), (Json{{"decision", "deny"}, {"reason", "no"}}));
  EXPECT_TRUE(may_be_tool_call(R"({"hook_event_name":"BeforeTool")"));
}

}  // namespace
}  // namespace luzia::hook
