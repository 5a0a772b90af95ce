// The readable text for agents' JSON lines: a run of each agent, and lines that are not an agent's.
#include "adapters/agents/readable_line.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

using testing::Optional;

/// The readable text of each line of `run`, one after the other; "RAW" for a line shown unchanged.
std::string read(const std::string& run) {
  std::string shown;
  std::size_t from = 0;
  while (from < run.size()) {
    const std::size_t end = run.find('\n', from);
    const auto lines = readable_lines(std::string_view(run).substr(from, end - from));
    if (!lines) shown += "RAW\n";
    for (const std::string& line : lines.value_or(std::vector<std::string>())) shown += line + "\n";
    from = end + 1;
  }
  return shown;
}

TEST(ReadableLine, ARunOfClaude) {
  EXPECT_EQ(read(R"({"type":"system","subtype":"init","session_id":"s-1","model":"opus","tools":["Bash"]}
{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Where?\nThere."}]},"session_id":"s-1"}
{"type":"assistant","message":{"content":[{"type":"text","text":"I look at the files.\nThen I edit."}]},"session_id":"s-1"}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls -1\necho","description":"List"}}]},"session_id":"s-1"}
{"type":"user","message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"a\nb\nc\nd\ne\nf\n","is_error":false}]},"session_id":"s-1"}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"replace_all":false,"file_path":"/p/a.cc","old_string":"x"}}]},"parent_tool_use_id":"t0","session_id":"s-1"}
{"type":"user","message":{"content":[{"tool_use_id":"t2","type":"tool_result","content":[{"type":"text","text":"Exit code 2\nno such file"}],"is_error":true}]},"session_id":"s-1"}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t3","name":"TodoWrite","input":{"todos":[{"content":"edit","status":"completed"},{"content":"test","status":"in_progress"},{"content":"ship","status":"pending"}]}}]},"session_id":"s-1"}
{"type":"stream_event","event":{"delta":{}},"session_id":"s-1"}
{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"error_status":529,"error":"overloaded","session_id":"s-1"}
{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"Then I edit.","total_cost_usd":0.0292,"session_id":"s-1"}
{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":9,"total_cost_usd":0.5,"session_id":"s-1","errors":["too many turns"]}
)"),
            R"(* session s-1, model opus
(thinks) Where? ...
I look at the files.
Then I edit.
> Bash: ls -1
>   echo
  a
  b
  c
  d
  ... 2 more lines
| > Edit: /p/a.cc
! Exit code 2
! no such file
* todo:
  [x] edit
  [>] test
  [ ] ship
! the service refused (529), try 2 of 10: overloaded
* completed after 3 turns, $0.0292
  Then I edit.
! error_max_turns after 9 turns, $0.5000
! too many turns
)");
}

TEST(ReadableLine, ClaudesRefusalsLoseTheirTag) {
  EXPECT_THAT(
      readable_lines(
          R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,)"
          R"("content":"<tool_use_error>Error: No such tool available: Grep</tool_use_error>"}]}})"),
      Optional(ElementsAre("! Error: No such tool available: Grep")));
}

/// As Claude Code 2.1.332 prints it, shortened.
TEST(ReadableLine, ClaudesQuestionsAreWordsAndNoJson) {
  EXPECT_THAT(
      readable_lines(
          R"({"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","id":"t",)"
          R"("name":"AskUserQuestion","input":{"questions":[{"header":"Colour","multiSelect":false,"options":)"
          R"([{"description":"warm","label":"red"},{"description":"cold","label":"blue"}],)"
          R"("question":"Which colour?"},{"question":"And why?"},7]}}]}})"),
      Optional(ElementsAre("> AskUserQuestion: Which colour? (red, blue)", "> AskUserQuestion: And why?",
                           "> AskUserQuestion: ")));
}

TEST(ReadableLine, ARunOfCodex) {
  EXPECT_EQ(read(R"({"type":"thread.started","thread_id":"th-1"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"i0","type":"reasoning","text":"**Looking**\n\nmore"}}
{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"I look."}}
{"type":"item.started","item":{"id":"i2","type":"command_execution","command":"/bin/bash -lc 'make'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"i2","type":"command_execution","command":"/bin/bash -lc 'make'","aggregated_output":"no rule\n","exit_code":2,"status":"failed"}}
{"type":"item.started","item":{"id":"i3","type":"file_change","changes":[{"path":"/p/a.cc","kind":"update"}],"status":"in_progress"}}
{"type":"item.completed","item":{"id":"i3","type":"file_change","changes":[{"path":"/p/a.cc","kind":"update"}],"status":"completed"}}
{"type":"item.updated","item":{"id":"i4","type":"todo_list","items":[{"text":"edit","completed":true},{"text":"test","completed":false}]}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"turn.completed","usage":{"input_tokens":5700,"output_tokens":180}}
{"type":"turn.failed","error":{"message":"limit"}}
)"),
            R"(* session th-1
(thinks) **Looking** ...
I look.
> command_execution: /bin/bash -lc 'make'
! exit code 2
! no rule
> update file: /p/a.cc
* todo:
  [x] edit
  [ ] test
! Reconnecting... 1/5
* completed, 5700 tokens in, 180 out
! limit
)");
}

/// As codex-cli 0.169.0 prints them.
TEST(ReadableLine, CodexServerCallShowsOnlyItsArguments) {
  EXPECT_EQ(
      read(
          R"({"type":"item.started","item":{"id":"item_1","type":"mcp_tool_call","server":"luzia","tool":"ask_user","arguments":{"question":"Which port?","options":["80","8080"]},"result":null,"error":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"mcp_tool_call","server":"luzia","tool":"ask_user","arguments":{"question":"Which port?","options":["80","8080"]},"result":{"content":[{"type":"text","text":"8080"}],"structured_content":null},"error":null,"status":"completed"}}
{"type":"item.started","item":{"id":"item_2","type":"mcp_tool_call","server":"luzia","tool":"list_questions","arguments":{},"result":null,"error":null,"status":"in_progress"}}
)"),
      R"(> luzia.ask_user: {"options":["80","8080"],"question":"Which port?"}
  8080
> luzia.list_questions
)");
}

TEST(ReadableLine, InvalidItemShowsNothing) {
  EXPECT_EQ(read(R"({"type":"item.started"}
{"type":"item.started","item":"make"}
{"type":"item.completed","item":[1]}
)"),
            "");
}

TEST(ReadableLine, DeeplyNestedLineIsShownUnchanged) {
  const auto nested = [](std::size_t levels) {
    return R"({"type":"item.started","item":{"type":"t","a":)" + std::string(levels, '[') +
           std::string(levels, ']') + "}}\n";
  };
  EXPECT_THAT(read(nested(20)), testing::StartsWith("> t: {"));
  EXPECT_EQ(read(nested(1'000'000)), "RAW\n");
}

TEST(ReadableLine, ARunOfGemini) {
  EXPECT_EQ(read(R"({"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"g-1","model":"pro"}
{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","role":"user","content":"Do it.\n"}
{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","role":"assistant","content":"I look.","delta":true}
{"type":"tool_use","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"run_shell_command","tool_id":"x","parameters":{"command":"ls"}}
{"type":"tool_result","timestamp":"2026-01-01T00:00:00.000Z","tool_id":"x","status":"success","output":"a"}
{"type":"tool_result","timestamp":"2026-01-01T00:00:00.000Z","tool_id":"x","status":"error","error":{"type":"e","message":"denied"}}
{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","status":"success","stats":{"input_tokens":5,"output_tokens":1}}
)"),
            R"(* session g-1, model pro
< Do it.
I look.
> run_shell_command: ls
  a
! denied
* completed, 5 tokens in, 1 out
)");
}

TEST(ReadableLine, ARunOfOpencode) {
  EXPECT_EQ(read(R"({"type":"step_start","timestamp":1,"sessionID":"ses","part":{"type":"step-start"}}
{"type":"text","timestamp":1,"sessionID":"ses","part":{"type":"text","text":"I look."}}
{"type":"tool_use","timestamp":1,"sessionID":"ses","part":{"tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"false"},"output":"nothing\n","metadata":{"exit":1}}}}
{"type":"tool_use","timestamp":1,"sessionID":"ses","part":{"tool":"read","callID":"d","state":{"status":"completed","input":{"filePath":"/p/a"},"output":"text"}}}
{"type":"error","timestamp":1,"sessionID":"ses","error":{"name":"APIError","data":{"message":"refused"}}}
{"type":"step_finish","timestamp":1,"sessionID":"ses","part":{"reason":"stop"}}
)"),
            R"(I look.
> bash: false
! exit code 1
! nothing
> read: /p/a
  text
! refused
* completed
)");
}

TEST(ReadableLine, ForeignLineIsShownUnchanged) {
  for (const char* line :
       {"", "plain", "{", "{}", "[1]", R"({"type":"progress","done":1})",
        R"({"level":"info","session_id":"s","message":"started"})", R"({"type":"request","session_id":"s"})",
        R"({"type":7,"session_id":"s"})", R"({"type":"result","timestamp":"t"})"}) {
    EXPECT_EQ(readable_lines(line), std::nullopt) << line;
  }
}

TEST(ReadableLine, WrongTypesAndUnknownPartsAreIgnored) {
  EXPECT_THAT(readable_lines(R"({"type":"assistant","message":{"content":7},"session_id":"s"})"),
              Optional(IsEmpty()));
  EXPECT_THAT(readable_lines(R"({"type":"assistant","message":{"content":[1,{"type":"new"},null]}})"),
              Optional(IsEmpty()));
  EXPECT_THAT(readable_lines(R"({"type":"result","session_id":"s","subtype":[],"errors":[1,{}]})"),
              Optional(testing::SizeIs(testing::Ge(1u))));
  EXPECT_THAT(readable_lines(R"({"type":"item.completed"})"), Optional(IsEmpty()));
}

TEST(ReadableLine, OnlyTheAgentsWordsAreNotShortened) {
  const std::string text(10'000, 'x');
  const auto said = readable_lines(R"({"type":"assistant","message":{"content":[{"type":"text","text":")" +
                                   text + R"("}]}})");
  EXPECT_THAT(said, Optional(ElementsAre(text)));
  const auto called = readable_lines(
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":")" +
      text + R"("}}]}})");
  ASSERT_TRUE(called && called->size() == 1);
  EXPECT_LT(called->front().size(), kShownPartBytes + 32);
  const auto answered =
      readable_lines(R"({"type":"result","subtype":"success","is_error":false,"session_id":"s","result":")" +
                     text + R"("})");
  ASSERT_TRUE(answered && answered->size() == 2);
  EXPECT_LT(answered->back().size(), kShownAnswerBytes + 32);
}

TEST(ReadableLine, LongCallsAndResultsAreShortened) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += R"(line\n)";
  const auto called = readable_lines(
      R"({"type":"assistant","parent_tool_use_id":"t0","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":")" +
      text + R"("}}]}})");
  ASSERT_TRUE(called && called->size() == kShownCallLines + 1);
  EXPECT_EQ(called->at(0), "| > Bash: line");
  EXPECT_EQ(called->at(1), "| >   line");
  EXPECT_EQ(called->back(), "| >   ... 18 more lines");
  const auto answered =
      readable_lines(R"({"type":"result","subtype":"success","is_error":false,"session_id":"s","result":")" +
                     text + R"("})");
  ASSERT_TRUE(answered && answered->size() == kShownAnswerLines + 2);
  EXPECT_EQ(answered->at(1), "  line");
  EXPECT_EQ(answered->back(), "  ... 10 more lines");
}

TEST(ReadableLine, IllFormedTextIsStillRead) {
  const auto lines = readable_lines(
      "{\"type\":\"assistant\",\"message\":{\"content\":\"a\xff"
      "b\"}}");
  EXPECT_THAT(lines, Optional(ElementsAre("a\xef\xbf\xbd"
                                          "b")));
}

}  // namespace
}  // namespace luzia
