// Irregular agent lines: cut, broken, hostile, or of unknown or wrong types. What they state clearly is kept;
// nothing else is inferred.
#include <gtest/gtest.h>

#include "adapters/agents/agent_lines.h"
#include "tests/adapters/agents/recorded_runs.h"

namespace luzia {
namespace {

using Findings = std::vector<RecordOutput::Finding>;

Findings decode(const std::string& format, const std::string& text) {
  Findings findings;
  const bool cut = text.size() > kMaxKeptLine;
  const std::string_view kept = std::string_view(text).substr(0, kMaxKeptLine);
  std::string within;
  line_decoders()(format)->decode({kept, 100, 100 + kept.size() + (cut ? 0 : 1), 3, cut}, findings, within);
  return findings;
}

template <class Union, class Fact>
const Fact* only(const Findings& findings, const Fact* (Union::*as)() const) {
  if (findings.size() != 1) return nullptr;
  const auto* fact = std::get_if<Union>(&findings[0].fact);
  return fact != nullptr ? (fact->*as)() : nullptr;
}

const schema::ToolReturnedT* returned(const Findings& findings) {
  return only<schema::ToolFactUnion>(findings, &schema::ToolFactUnion::AsToolReturned);
}

std::string within(const std::string& format, const std::string& line) {
  std::string text;
  Findings findings;
  const bool own = line_decoders()(format)->decode({line, 0, line.size() + 1, 1}, findings, text);
  return own ? text : "(the line)";
}

// ---- sessions that are gone ----

TEST(LostSession, EachAgentsWordsAreKnown) {
  for (const auto& [format, line] :
       {std::pair("claude-stream-json", "No conversation found with session ID: 0b6e"),
        std::pair("claude-stream-json", "No saved session found with ID 0b6e. Run `qwen --resume` ..."),
        std::pair("codex-json", "Error: thread/resume failed: no rollout found for thread id 0b6e"),
        std::pair("gemini-stream-json", "Error resuming session: Invalid session identifier \"0b6e\"."),
        std::pair("gemini-stream-json",
                  "Error resuming session: No previous sessions found for this project."),
        std::pair("copilot-json", "Error: No session, task, or name matched '0b6e'."),
        std::pair("opencode-json", "Error: Session not found")}) {
    const Findings findings = decode(format, line);
    const auto* error =
        only<schema::ReportFactUnion>(findings, &schema::ReportFactUnion::AsAgentErrorReported);
    ASSERT_NE(error, nullptr) << line;
    EXPECT_EQ(error->kind, "session_gone") << line;
  }
  EXPECT_TRUE(decode("claude-stream-json", "the session begins").empty());
}

TEST(SessionIds, OptionOrShellWordsAreNone) {
  const auto named = [](const std::string& format, const std::string& before, const std::string& id) {
    const Findings findings = decode(format, before + "\"" + id + "\"}");
    const auto* session =
        only<schema::ReportFactUnion>(findings, &schema::ReportFactUnion::AsSessionIdentified);
    return session != nullptr ? session->session_id : std::string();
  };
  for (const auto& [format, before] :
       {std::pair("claude-stream-json", R"({"type":"system","subtype":"init","session_id":)"),
        std::pair("codex-json", R"({"type":"thread.started","thread_id":)"),
        std::pair("gemini-stream-json",
                  R"({"type":"init","timestamp":"2026-11-21T09:09:28.359Z","session_id":)")}) {
    EXPECT_EQ(named(format, before, "0b6e-1.a_b"), "0b6e-1.a_b") << format;
    for (const char* id : {"--dangerously-skip-permissions", "-c", "a; rm x", "$(id)", "a b", "a\\nb", "a'b"})
      EXPECT_EQ(named(format, before, id), "") << format << ' ' << id;
  }
}

TEST(MissingLogin, EachAgentsWordsAreKnown) {
  for (const auto& [format, line] :
       {std::pair("gemini-stream-json",
                  "Please set an Auth method in your /h/.gemini/settings.json or specify"),
        std::pair("copilot-json", "Error: No authentication information found.")}) {
    const Findings findings = decode(format, line);
    const auto* error =
        only<schema::ReportFactUnion>(findings, &schema::ReportFactUnion::AsAgentErrorReported);
    ASSERT_NE(error, nullptr) << line;
    EXPECT_EQ(error->kind, "authentication_missing") << line;
  }
}

/// The result of Qwen Code 0.24 has an error in place of a text.
TEST(MissingLogin, QwensResultSaysIt) {
  const Findings findings = decode(
      "claude-stream-json",
      R"({"type":"result","subtype":"error_during_execution","uuid":"u","session_id":"s","is_error":true,)"
      R"("num_turns":0,"error":{"message":"No auth type is selected. Please configure an auth type"}})");
  std::string kind, text;
  auto outcome = schema::AgentOutcome::none;
  for (const auto& finding : findings) {
    const auto* fact = std::get_if<schema::ReportFactUnion>(&finding.fact);
    if (fact != nullptr && fact->AsAgentErrorReported() != nullptr) kind = fact->AsAgentErrorReported()->kind;
    const auto* concluded = fact != nullptr ? fact->AsAgentConcluded() : nullptr;
    if (concluded == nullptr) continue;
    outcome = concluded->outcome;
    text = concluded->text;
  }
  EXPECT_EQ(kind, "authentication_missing");
  EXPECT_EQ(outcome, schema::AgentOutcome::failed) << "nobody interrupted it";
  EXPECT_EQ(text, "No auth type is selected. Please configure an auth type");
}

// ---- calls that were refused ----

std::string refused_edit(const Findings& findings) {
  std::string edit, words;
  for (const auto& finding : findings) {
    const auto* fact = std::get_if<schema::ToolFactUnion>(&finding.fact);
    const auto* call = fact != nullptr ? fact->AsToolCalled() : nullptr;
    const auto* returned = fact != nullptr ? fact->AsToolReturned() : nullptr;
    if (call != nullptr && call->changes_files) edit = call->call_id;
    if (returned == nullptr) continue;
    EXPECT_FALSE(returned->succeeded);
    words = returned->call_id == edit ? returned->tool + " " + returned->failure : "another call";
  }
  return words;
}

/// As Codex 0.171 prints them on standard error; no item tells of such a call.
TEST(RefusedEdit, CodexTellsInTextOnly) {
  const std::string head = "2026-11-26T20:06:35.862852Z ERROR codex_core::tools::router: error=";
  const std::string by_settings =
      head + "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings";
  EXPECT_EQ(refused_edit(decode("codex-json", by_settings)), "apply_patch denied");
  EXPECT_EQ(refused_edit(decode("auto", by_settings)), "apply_patch denied");
  EXPECT_EQ(refused_edit(decode("codex-json", head + "Command blocked by PreToolUse hook: denied by ana. "
                                                     "Command: *** Begin Patch")),
            "apply_patch denied");
  for (const std::string& other : {head + "patch rejected: empty patch", head + "unsupported call: x",
                                   "error=" + by_settings, std::string("2026-11-26T20:06:35Z")}) {
    EXPECT_TRUE(decode("codex-json", other).empty()) << other;
  }
}

/// As Claude Code 2.1 prints it, without the call's decision.
TEST(RefusedEdit, ClaudeTellsThatItMayOnlyPlan) {
  const auto failure_of = [](const std::string& words) {
    std::string failure;
    for (const auto& finding :
         decode("claude-stream-json",
                R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","is_error":true,)"
                R"("tool_use_id":"c","content":")" +
                    words + R"("}]},"session_id":"s"})")) {
      const auto* fact = std::get_if<schema::ToolFactUnion>(&finding.fact);
      if (fact != nullptr && fact->AsToolReturned() != nullptr) failure = fact->AsToolReturned()->failure;
    }
    return failure;
  };
  EXPECT_EQ(failure_of("Cannot write to /p/made while in plan mode."), "denied");
  EXPECT_EQ(failure_of("Cannot write to /p/made: no such folder"), "error");
}

/// As Gemini CLI 0.61 and opencode 1.18 print them, shortened.
TEST(RefusedEdit, IsOneOfAToolThatMayOnlyPlan) {
  EXPECT_EQ(
      refused_edit(decode(
          "opencode-json",
          R"({"type":"tool_use","timestamp":1,"sessionID":"s","part":{"type":"tool","tool":"invalid","callID":"c",)"
          R"("state":{"status":"completed","input":{"tool":"write","error":"x"},"output":"The arguments provided to )"
          R"(the tool are invalid: Model tried to call unavailable tool 'write'."}}})")),
      "write not_offered");
  const Findings findings = decode(
      "gemini-stream-json",
      R"({"type":"tool_result","timestamp":"2026-11-26T20:06:41.656Z","tool_id":"c","status":"error","output":"",)"
      R"("error":{"type":"invalid_tool_params","message":"Access denied: plan path (/p/made) must be within"}})");
  ASSERT_FALSE(findings.empty());
  const auto* fact = std::get_if<schema::ToolFactUnion>(&findings[0].fact);
  ASSERT_TRUE(fact != nullptr && fact->AsToolReturned() != nullptr);
  EXPECT_EQ(fact->AsToolReturned()->failure, "denied");
}

// ---- what single messages used ----

std::optional<schema::UsageReportedT> sum_of(const std::string& format,
                                             const std::vector<std::string>& lines) {
  const auto messages = line_decoders()(format)->message_usage();
  if (messages == nullptr) return std::nullopt;
  std::uint64_t at = 0;
  for (const std::string& line : lines) {
    messages->add({line, at, at + line.size() + 1, 1});
    at += line.size() + 1;
  }
  auto finding = messages->sum();
  if (!finding) return std::nullopt;
  return *std::get<schema::UsageFactUnion>(finding->fact).AsUsageReported();
}

std::string message_line(const std::string& id, int input, int output) {
  return R"({"type":"assistant","session_id":"s","message":{"id":")" + id +
         R"(","model":"m","content":[],"usage":{"input_tokens":)" + std::to_string(input) +
         R"(,"cache_read_input_tokens":7,"output_tokens":)" + std::to_string(output) + "}}}";
}
constexpr const char* kResultLine =
    R"({"type":"result","subtype":"success","is_error":false,"session_id":"s","usage":{"input_tokens":30}})";

TEST(MessageUsage, EachMessageCountsOnceWithItsLargestFigures) {
  const auto sum = sum_of("claude-stream-json", {message_line("1", 10, 1), message_line("1", 10, 4),
                                                 message_line("1", 10, 2), message_line("2", 20, 1)});
  ASSERT_TRUE(sum);
  EXPECT_TRUE(sum->partial);
  EXPECT_EQ(sum->scope, schema::UsageScope::attempt_total);
  EXPECT_EQ(sum->input_tokens, 30U);
  EXPECT_EQ(sum->output_tokens, 5U);
  EXPECT_EQ(sum->cache_read_tokens, 14U);
  EXPECT_EQ(sum->model, "m");
  EXPECT_EQ(sum->session_id, "s");
  EXPECT_FALSE(sum->cost_usd) << "messages have no cost";
}

TEST(MessageUsage, ResultOfTheAgentIncludesEarlierMessages) {
  EXPECT_FALSE(sum_of("claude-stream-json", {message_line("1", 30, 1), kResultLine}));
  const auto sum =
      sum_of("claude-stream-json", {message_line("1", 30, 1), kResultLine, "text", message_line("2", 5, 1)});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->input_tokens, 35U) << "all of the attempt: what the result counted is subtracted later";
}

TEST(MessageUsage, LinesWithoutUsageAddNothing) {
  EXPECT_FALSE(sum_of("claude-stream-json", {}));
  EXPECT_FALSE(sum_of("claude-stream-json", {message_line("1", 0, 0).replace(0, 1, "[")}));
  EXPECT_FALSE(
      sum_of("claude-stream-json", {R"({"type":"assistant","session_id":"s","message":{"usage":7}})"}));
  EXPECT_FALSE(sum_of("codex-json", {message_line("1", 10, 1)}));
  EXPECT_TRUE(sum_of("auto", {message_line("1", 10, 1)}));
}

TEST(MessageUsage, KilledRunsHaveTheSumOfTheirMessages) {
  const std::string output = read_file(runs_folder() + "claude-s7-term.jsonl");
  const auto messages = line_decoders()("claude-stream-json")->message_usage();
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    messages->add({std::string_view(output).substr(at, end - at), at, end + 1, 1});
    at = end + 1;
  }
  const auto sum = messages->sum();
  ASSERT_TRUE(sum);
  EXPECT_EQ(std::get<schema::UsageFactUnion>(sum->fact).AsUsageReported()->input_tokens, 200U)
      << "two lines of one message";
}

TEST(SessionOf, EveryLineOfAnAgentNamesIt) {
  const auto session = [](const std::string& format, const std::string& line) {
    return line_decoders()(format)->session_of({line, 0, line.size(), 1});
  };
  EXPECT_EQ(session("claude-stream-json", R"({"type":"user","session_id":"s-1","message":{"content":[]}})"),
            "s-1");
  EXPECT_EQ(session("opencode-json", R"({"type":"text","sessionID":"o-1","part":{}})"), "o-1");
  EXPECT_EQ(session("auto", R"({"type":"new kind","session_id":"s-2"})"), "s-2");
  EXPECT_EQ(session("claude-stream-json", R"({"session_id":"s-3"})"), "") << "not a line of the agent";
  EXPECT_EQ(session("text", R"({"type":"user","session_id":"s-1"})"), "");
}

// ---- closing and fixing ----

TEST(CloseJson, OpenPartsAreClosedAndIncompleteOnesDropped) {
  EXPECT_EQ(close_json(R"({"a":1,"b":"text)"), R"({"a":1,"b":"text"})");
  EXPECT_EQ(close_json(R"({"a":1,"b)"), R"({"a":1})");
  EXPECT_EQ(close_json(R"({"a":1,"b":)"), R"({"a":1})");
  EXPECT_EQ(close_json(R"({"a":1,"b":tru)"), R"({"a":1})");
  EXPECT_EQ(close_json(R"({"a":12)"), "{}");
  EXPECT_EQ(close_json(R"({"a":[{"b":"c\)"), R"({"a":[{"b":"c"}]})");
  EXPECT_EQ(close_json(R"({"a":"c\u00)"), R"({"a":"c"})");
  EXPECT_EQ(close_json(R"({"a":"c\\)"), R"({"a":"c\\"})");
  EXPECT_EQ(close_json(R"({"a":"}]\"","b":[1,2)"), R"({"a":"}]\"","b":[1]})");
  EXPECT_EQ(close_json(R"({"a":{}})"), R"({"a":{}})");
}

TEST(CloseJson, EveryPrefixParsesToPartOfTheLine) {
  const std::string line =
      R"({"type":"a\"\\\ud83d\ude00","n":-12.5e3,"list":[1,"two",{"three":[true,false,null]},[]],"last":"x"})";
  for (std::size_t size = 1; size < line.size(); ++size) {
    const JsonLine json({std::string_view(line).substr(0, size), 0, size, 1, true});
    EXPECT_TRUE(json.object().is_object()) << line.substr(0, size);
    if (size <= 40) continue;
    EXPECT_TRUE(json.object()["type"].is("a\"\\\xF0\x9F\x98\x80")) << line.substr(0, size);
  }
}

TEST(RepairedJson, LoneSurrogatesAndInvalidBytesAreReplaced) {
  EXPECT_EQ(repaired_json(R"(\ud83d\ude00 \ud83d \ude00 \u0041 \\ud83d)"),
            R"(\ud83d\ude00 \ufffd \ufffd \u0041 \\ud83d)");
  EXPECT_EQ(repaired_json("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(repaired_json("\\u12"), "\\u12");
}

// ---- lines beyond the size limit ----

TEST(CutLine, CommandWithHugeOutputReturnsWithoutFailure) {
  const std::string line =
      R"({"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"cat","aggregated_output":")" +
      std::string(100'000, 'x') + R"(","exit_code":3,"status":"failed"}})";
  const Findings findings = decode("codex-json", line);
  ASSERT_NE(returned(findings), nullptr);
  EXPECT_EQ(returned(findings)->call_id, "item_1");
  EXPECT_TRUE(returned(findings)->succeeded);
  EXPECT_FALSE(returned(findings)->exit_code);
  EXPECT_EQ(findings[0].evidence.log_from, 100u);
  EXPECT_EQ(findings[0].evidence.log_to, 100 + kMaxKeptLine);
}

TEST(CutLine, CallThatWritesAHugeFileIsFound) {
  const Findings findings = decode(
      "claude-stream-json",
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/a","content":")" +
          std::string(100'000, 'x') + R"("}}]},"session_id":"s"})");
  const auto* called = only<schema::ToolFactUnion>(findings, &schema::ToolFactUnion::AsToolCalled);
  ASSERT_NE(called, nullptr);
  EXPECT_EQ(called->subject, "/a");
  EXPECT_EQ(called->files, std::vector<std::string>{"/a"});
}

TEST(CutLine, ClaudeResultWithItsTypeCutOffStillConcludes) {
  const Findings findings = decode(
      "claude-stream-json",
      R"({"session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":7},"is_error":false,"num_turns":2,)"
      R"("subtype":"success","result":")" +
          std::string(100'000, 'x') + R"(","type":"result"})");
  ASSERT_EQ(findings.size(), 2u);
  const auto& concluded = *std::get<schema::ReportFactUnion>(findings[1].fact).AsAgentConcluded();
  EXPECT_EQ(concluded.outcome, schema::AgentOutcome::completed);
  EXPECT_EQ(concluded.text.size(), kMaxAnswer);
}

TEST(CutLine, ResultCutBeforeItsOutcomeConcludesNothing) {
  const Findings findings =
      decode("claude-stream-json", R"({"type":"result","subtype":"success","result":")" +
                                       std::string(100'000, 'x') + R"(","is_error":true})");
  EXPECT_TRUE(findings.empty());
}

// ---- wrong lines ----

TEST(HostileLine, IsIgnored) {
  const std::string deep(2000, '[');
  for (const std::string format :
       {"claude-stream-json", "codex-json", "gemini-stream-json", "opencode-json", "auto", "text"}) {
    for (
        const std::string& line : std::vector<std::string>{
            "",
            " ",
            "{",
            "}",
            "{}",
            "[]",
            "null",
            "{\"type\"",
            R"({"type":null})",
            R"({"type":7})",
            R"({"type":"no such type"})",
            R"({"type":"system","session_id":"s"} trailing)",
            R"({"type":"assistant","session_id":"s","message":[]})",
            R"({"type":"assistant","session_id":"s","message":{"content":{"type":"tool_use"}}})",
            R"({"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","name":"no id"}]}})",
            R"({"type":"user","session_id":"s","message":{"content":"text"}})",
            R"({"type":"user","session_id":"s","tool_use_result":{"task":{"subject":"no id"},"tasks":7}})",
            R"({"type":"result","session_id":"s"})",
            R"({"type":"item.completed","item":[]})",
            R"({"type":"item.completed","item":{"type":"command_execution","status":"failed"}})",
            R"({"type":"item.started","item":{"id":9,"type":"command_execution","status":"in_progress"}})",
            R"({"type":"turn.started"})",
            R"({"type":"tool_use","timestamp":"x","tool_name":"no id"})",
            R"({"type":"tool_use","sessionID":"s","part":{"callID":7}})",
            R"({"type":"result","timestamp":"x","status":true})",
            R"({"type":"rate_limit_event","session_id":"s"})",
            "{\"a\":" + deep + "}",
            "{\"a\":" + deep,
            std::string("\0{}\xFF", 4),
            R"({"level":"error","msg":"a tool's own JSON"})"}) {
      EXPECT_TRUE(decode(format, line).empty()) << format << " " << line.substr(0, 100);
    }
  }
}

TEST(HostileLine, OutOfRangeNumbersAreZeroOrTheMaximum) {
  const Findings findings = decode(
      "claude-stream-json",
      R"({"type":"system","subtype":"api_retry","session_id":"s","attempt":1e300,"max_retries":-4,"error_status":99999999999,"retry_delay_ms":18446744073709551615})");
  const auto* retried = only<schema::ReportFactUnion>(findings, &schema::ReportFactUnion::AsAgentRetried);
  ASSERT_NE(retried, nullptr);
  EXPECT_EQ(retried->retry, 0u);
  EXPECT_EQ(retried->max_retries, 0u);
  EXPECT_EQ(retried->delay_ms, 1'000'000'000'000'000ull);
}

TEST(HostileLine, ListsAndTextsAreBounded) {
  std::string todos, blocks;
  for (int i = 0; i < 500; ++i) todos += R"({"content":"x","status":"pending"},)";
  for (int i = 0; i < 500; ++i) blocks += R"({"type":"tool_use","id":"t","name":"n"},)";
  const Findings findings = decode(
      "claude-stream-json",
      R"({"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","id":"t","name":"TodoWrite","input":{"todos":[)" +
          todos + R"({}]}},)" + blocks + "{}]}}");
  ASSERT_EQ(findings.size(), kMaxBlocks + 1);
  EXPECT_EQ(std::get<schema::ReportFactUnion>(findings[1].fact).AsTodoReported()->items.size(), kMaxTodos);
  const auto called =
      decode("opencode-json", R"({"type":"tool_use","sessionID":"s","part":{"callID":"c","tool":")" +
                                  std::string(3000, 'n') + R"(","state":{"input":{"command":")" +
                                  std::string(3000, 'c') + R"("}}}})");
  ASSERT_EQ(called.size(), 1u) << "the run has not ended";
  EXPECT_EQ(std::get<schema::ToolFactUnion>(called[0].fact).AsToolCalled()->tool.size(), kMaxName);
  EXPECT_EQ(std::get<schema::ToolFactUnion>(called[0].fact).AsToolCalled()->subject.size(), kMaxSubject);
}

TEST(HostileLine, InvalidBytesDoNotHideTheLinesMeaning) {
  const Findings findings =
      decode("gemini-stream-json",
             "{\"type\":\"tool_result\",\"timestamp\":\"x\",\"tool_id\":\"t\",\"status\":\"error\","
             "\"output\":\"\xFF\\ud83d!\"}");
  ASSERT_NE(returned(findings), nullptr);
  EXPECT_EQ(returned(findings)->text, "\xEF\xBF\xBD\xEF\xBF\xBD!");
}

TEST(JsonAmongText, ForeignLinesAreReadAsText) {
  for (const std::string format :
       {"claude-stream-json", "codex-json", "gemini-stream-json", "opencode-json", "auto"}) {
    EXPECT_EQ(decode(format, "::error::from a tool").size(), 1u) << format;
    EXPECT_EQ(decode(format, "[3/7] Linking").size(), 1u) << format;
  }
}

// ---- calls that never ran ----

TEST(ClaudeResult, UnknownToolIsAFailureNotADenial) {
  const std::string text = "<tool_use_error>Error: No such tool available: Grep</tool_use_error>";
  const std::string block =
      R"("message":{"content":[{"type":"tool_result","tool_use_id":"t","content":")" + text;
  for (
      const std::string rest : {
          R"(","is_error":true}]}})",
          R"("}]},"tool_use_result":"Error: No such tool available: Grep"})",
          R"(","is_error":true}]},"tool_result_meta":[{"id":"t","permission_decision":{"decision":"reject"}}]})",
      }) {
    const Findings findings =
        decode("claude-stream-json", R"({"type":"user","session_id":"s",)" + block + rest);
    const auto* found = returned(findings);
    ASSERT_NE(found, nullptr) << rest;
    EXPECT_FALSE(found->succeeded) << rest;
    EXPECT_EQ(found->failure, "not_offered") << rest;
    EXPECT_EQ(found->text, "Error: No such tool available: Grep") << rest;
  }
  // A command whose output contains those words did run.
  const Findings printed = decode(
      "claude-stream-json", R"({"type":"user","session_id":"s",)" + block +
                                R"("}]},"tool_use_result":{"stdout":"Error: No such tool available"}})");
  ASSERT_NE(returned(printed), nullptr);
  EXPECT_TRUE(returned(printed)->succeeded);
}

// ---- text searched for known problems ----

TEST(TextWithin, ContainsToolOutputAndErrors) {
  EXPECT_EQ(
      within(
          "claude-stream-json",
          R"({"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t",)"
          R"("content":"Exit code 1\nboom","is_error":true}]},"tool_use_result":"Error: boom"})"),
      "Exit code 1\nboom\n");
  EXPECT_EQ(
      within(
          "codex-json",
          R"({"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"a\nb\n","status":"completed"}})"),
      "a\nb\n");
  EXPECT_EQ(within("codex-json", R"({"type":"error","message":"Quota exceeded."})"), "Quota exceeded.\n");
  EXPECT_EQ(
      within(
          "gemini-stream-json",
          R"({"type":"tool_result","timestamp":"x","tool_id":"run_shell_command__1","status":"success","output":"out"})"),
      "out\n");
  EXPECT_EQ(
      within(
          "opencode-json",
          R"({"type":"tool_use","sessionID":"s","part":{"callID":"c","tool":"bash","state":{"status":"completed","output":"out"}}})"),
      "out\n");
}

TEST(TextWithin, ExcludesTheAgentsWordsAndReads) {
  EXPECT_EQ(
      within(
          "claude-stream-json",
          R"({"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"error: x"}]}})"),
      "");
  EXPECT_EQ(
      within(
          "claude-stream-json",
          R"({"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t",)"
          R"("content":"1 error: x"}]},"tool_use_result":{"type":"text","file":{"filePath":"/a"}}})"),
      "");
  EXPECT_EQ(within("codex-json",
                   R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":"error: x"}})"),
            "");
  EXPECT_EQ(
      within(
          "gemini-stream-json",
          R"({"type":"tool_result","timestamp":"x","tool_id":"read_file__1","status":"success","output":"error: x"})"),
      "");
  EXPECT_EQ(
      within(
          "opencode-json",
          R"({"type":"tool_use","sessionID":"s","part":{"callID":"c","tool":"read","state":{"status":"completed","output":"error: x"}}})"),
      "");
}

TEST(TextWithin, OtherLinesAreSearchedUnchanged) {
  EXPECT_EQ(within("claude-stream-json", "error: x"), "(the line)");
  EXPECT_EQ(within("auto", R"({"level":"error","msg":"a tool's own JSON"})"), "(the line)");
  EXPECT_EQ(within("text", R"({"type":"error","message":"x"})"), "(the line)");
}

// ---- readable text ----

std::string shown(const std::string& format, const std::string& line) {
  return line_decoders()(format)->readable(line).value_or("(the line)");
}

TEST(Readable, ShowsTheAgentsWordsToolOutputOrTheCall) {
  EXPECT_EQ(
      shown(
          "claude-stream-json",
          R"({"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"I look."}]}})"),
      "I look.\n");
  EXPECT_EQ(
      shown(
          "claude-stream-json",
          R"({"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"make"}}]}})"),
      "Bash: make");
  EXPECT_EQ(shown("codex-json",
                  R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}})"),
            "Done.");
  EXPECT_EQ(
      shown(
          "codex-json",
          R"({"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"a\nb\n","status":"completed"}})"),
      "a\nb\n");
  EXPECT_EQ(
      shown("gemini-stream-json", R"({"type":"message","timestamp":"x","role":"assistant","content":"Hm."})"),
      "Hm.");
  EXPECT_EQ(shown("opencode-json", R"({"type":"text","sessionID":"s","part":{"type":"text","text":"Yes."}})"),
            "Yes.");
}

TEST(Readable, LinesWithoutTextAreSkipped) {
  EXPECT_EQ(shown("claude-stream-json", R"({"type":"system","subtype":"status","session_id":"s"})"), "");
  EXPECT_EQ(shown("codex-json", R"({"type":"turn.started"})"), "");
  EXPECT_EQ(
      shown("gemini-stream-json", R"({"type":"message","timestamp":"x","role":"user","content":"the task"})"),
      "");
  EXPECT_EQ(shown("auto", "npm warn deprecated"), "(the line)");
  EXPECT_EQ(shown("auto", R"({"level":"info"})"), "(the line)");
  EXPECT_EQ(shown("text", R"({"type":"turn.started"})"), "(the line)");
}

TEST(Readable, UnfinishedLineShowsItsText) {
  EXPECT_EQ(shown("codex-json",
                  R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":"I am wri)"),
            "I am wri");
  EXPECT_EQ(shown("codex-json", R"({"ty)"), "");
}

}  // namespace
}  // namespace luzia
