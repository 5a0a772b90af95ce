// How the tools handle their arguments, and what an agent reads as the result.
#include "tests/tools/luzia/mcp/client_side.h"
#include "tools/luzia/agents/mcp/shown_call.h"

namespace luzia::mcp {
namespace {

using ToolCallsTest = ClientSide;

TEST_F(ToolCallsTest, ProgressReportCarriesItsFields) {
  EXPECT_EQ(text_of("report_progress",
                    {{"percent", 12.5}, {"current_step", 2}, {"total_steps", 5}, {"step_name", "Tests"}}),
            "recorded");
  const auto& fact = *door.reports.at(0).AsProgressReported();
  EXPECT_EQ(fact.progress_percent, 12.5);
  EXPECT_EQ(fact.current_step, 2U);
  EXPECT_EQ(fact.total_steps, 5U);
  EXPECT_EQ(fact.current_step_name, "Tests");
}

TEST_F(ToolCallsTest, WarningCarriesItsFields) {
  EXPECT_EQ(
      text_of("report_warning", {{"message", "slow"}, {"warning_type", "SLOW"}, {"recommendation", "wait"}}),
      "recorded");
  const auto& fact = *door.reports.at(0).AsWarningReported();
  EXPECT_EQ(fact.message, "slow");
  EXPECT_EQ(fact.warning_type, "SLOW");
  EXPECT_EQ(fact.recommendation, "wait");
}

TEST_F(ToolCallsTest, InvalidArgumentsAreReportedToTheModel) {
  const std::tuple<const char*, Json, const char*> calls[] = {
      {"report_progress", Json::object(), "nothing to report"},
      {"report_progress", {{"percent", "40"}}, "percent is \"40\", not of type number"},
      {"report_progress", {{"percent", 140}}, "maximum is 100"},
      {"report_progress", {{"percent", -1}}, "minimum is 0"},
      {"report_progress", {{"current_step", 1.5}}, "not of type integer"},
      {"report_progress", {{"current_step", 1e300}}, "maximum"},
      {"report_progress", {{"precent", 1}}, "did you mean percent?"},
      {"report_warning", {{"message", ""}}, "message is empty"},
      {"report_warning", {{"message", nullptr}}, "message is missing"},
      {"report_warning", Json::object(), "message is missing"},
      {"report_warning", {{"message", std::string(3000, 'x')}}, "longer than 2000"},
      {"ask_user", {{"question", "q"}, {"type", "yesno"}}, "must be one of [\"text\""},
      {"ask_user", {{"question", "q"}, {"options", {"a"}}}, "takes 2 to 64"},
      {"ask_user", {{"question", "q"}, {"options", {"a", 7}}}, "options[1] is 7"},
      {"ask_user", {{"question", "q"}, {"options", "a,b"}}, "not of type array"},
      {"ask_user", {{"question", "q"}, {"type", "choice"}}, "options are missing"},
      {"ask_user", {{"question", "q"}, {"type", "confirm"}, {"options", {"a", "b"}}}, "options belong"},
      {"ask_user", {{"question", "q"}, {"timeout", "soon"}}, "timeout is 'soon'"},
      {"ask_user", {{"question", "q"}, {"timeout", 30}}, "not of type string"},
      {"request_approval", {{"gate", "deploy"}}, "description is missing"},
      {"job_status", {{"job", Json::array()}}, "not of type string"},
      {"list_questions", {{"all", "yes"}}, "not of type boolean"},
  };
  for (const auto& [tool, arguments, words] : calls) {
    EXPECT_THAT(error_of(tool, arguments), HasSubstr(words)) << tool << " " << arguments;
  }
  EXPECT_TRUE(door.reports.empty());
  EXPECT_TRUE(door.questions.empty());
  EXPECT_TRUE(door.approvals.empty());
}

TEST_F(ToolCallsTest, NullCountsAsOmitted) {
  EXPECT_EQ(text_of("report_progress", {{"percent", 3}, {"step_name", nullptr}, {"total_steps", nullptr}}),
            "recorded");
}

TEST_F(ToolCallsTest, QuestionTypeFollowsFromItsOptions) {
  text_of("ask_user", {{"question", "a"}});
  text_of("ask_user", {{"question", "b"}, {"options", {"x", "y"}}});
  text_of("ask_user", {{"question", "c"}, {"options", {"x", "y"}}, {"type", "multi_select"}});
  text_of("ask_user", {{"question", "d"}, {"type", "confirm"}, {"timeout", "30m"}, {"default", "yes"}});
  ASSERT_EQ(door.questions.size(), 4U);
  EXPECT_EQ(door.questions[0].type, schema::QuestionType::text);
  EXPECT_EQ(door.questions[1].type, schema::QuestionType::choice);
  EXPECT_THAT(door.questions[1].options, ElementsAre("x", "y"));
  EXPECT_EQ(door.questions[2].type, schema::QuestionType::multi_select);
  EXPECT_EQ(door.questions[3].type, schema::QuestionType::confirm);
  EXPECT_EQ(door.questions[3].timeout_ms, 1'800'000U);
  EXPECT_EQ(door.questions[3].default_answer, "yes");
  EXPECT_EQ(door.questions[3].source, "mcp");
}

TEST_F(ToolCallsTest, AgentLearnsThatItGotTheDefault) {
  door.by_default = true;
  EXPECT_THAT(text_of("ask_user", {{"question", "a"}}),
              HasSubstr("nobody answered in time: this is the default"));
}

TEST_F(ToolCallsTest, UnansweredQuestionIsAnError) {
  for (const auto& [state, words] : {std::pair{view::QuestionState::timed_out, "nobody answered in time"},
                                     std::pair{view::QuestionState::cancelled, "cancelled"},
                                     std::pair{view::QuestionState::open, "still open"}}) {
    door.question_state = state;
    EXPECT_THAT(error_of("ask_user", {{"question", "a"}}), HasSubstr(words));
  }
  EXPECT_TRUE(door.confirmed.empty());
}

TEST_F(ToolCallsTest, DecisionBeginsWithApprovedOrDenied) {
  door.decision.decision = schema::Decision::approved;
  door.decision.decided_by = "ana";
  door.decision.note = "go on";
  EXPECT_EQ(text_of("request_approval", {{"gate", "deploy"}, {"description", "to production"}}),
            "approved by ana: go on");
  door.decision.decision = schema::Decision::denied;
  EXPECT_THAT(text_of("request_approval", {{"gate", "deploy"}, {"description", "x"}}),
              StartsWith("denied by ana"));
  door.decision.decision = schema::Decision::expired;
  EXPECT_THAT(text_of("request_approval", {{"gate", "deploy"}, {"description", "x"}}), StartsWith("denied"));
  door.decision.decision = schema::Decision::none;
  EXPECT_THAT(text_of("request_approval", {{"gate", "deploy"}, {"description", "x"}}), StartsWith("denied"));
  EXPECT_EQ(door.approvals.at(0).gate, "deploy");
  EXPECT_EQ(door.approvals.at(0).source, "mcp");
  door.await_confirmed(3);
}

TEST_F(ToolCallsTest, DaemonErrorsIncludeTheirHint) {
  door.refusal = Error{ErrorKind::usage, "no_job", "this runs in no job", "start it with luzia PROJECT TASK"};
  EXPECT_EQ(error_of("job_status", Json::object()), "this runs in no job (start it with luzia PROJECT TASK)");
  EXPECT_THAT(error_of("report_progress", {{"percent", 1}}), HasSubstr("no job"));
  EXPECT_THAT(error_of("ask_user", {{"question", "a"}}), HasSubstr("no job"));
}

TEST_F(ToolCallsTest, ReadingToolsReturnTheDaemonsReply) {
  EXPECT_EQ(text_of("job_status", {{"job", "0kx8"}}), R"({"id":"0kx8"})");
  EXPECT_EQ(text_of("list_questions", {{"job", "*"}, {"all", true}}), "requests of '*', all");
  EXPECT_EQ(text_of("list_questions", Json::object()), "requests of '', open");
}

TEST(ShownCall, LongInputsAreCutButStayJson) {
  const Json input = {
      {"file_path", "/srv/a.txt"}, {"content", std::string(300'000, '"')}, {"list", Json::array()}};
  for (const std::size_t most : {100U, 1'000U, 60'000U}) {
    const std::string shown = shown_input(input, most);
    EXPECT_LE(shown.size(), most);
    EXPECT_TRUE(Json::accept(shown)) << shown.substr(0, 200);
  }
  EXPECT_EQ(Json::parse(shown_input(input, 60'000))["file_path"], "/srv/a.txt");
  EXPECT_EQ(shown_input({{"a", 1}}, 100), R"({"a":1})");
  Json wide = Json::object();
  for (int i = 0; i < 10'000; ++i) wide["member " + std::to_string(i)] = i;
  EXPECT_LE(shown_input(wide, 1'000).size(), 1'000U);
}

TEST(ShownCall, CallIsDescribedByItsTarget) {
  EXPECT_EQ(described_call("Bash", {{"command", "git push"}, {"description", "x"}}), "Bash: git push");
  EXPECT_EQ(described_call("Write", {{"file_path", "/a"}, {"content", "x"}}), "Write: /a");
  EXPECT_EQ(described_call("Write", {{"command", "/ok"}, {"file_path", "/a"}}), "Write: /a");
  EXPECT_EQ(described_call("mcp__x__y", {{"path", "/ok"}, {"url", "/a"}}),
            R"(mcp__x__y: {"path":"/ok","url":"/a"})");
  EXPECT_EQ(described_call("mcp__x__y", {{"n", 1}}), R"(mcp__x__y: {"n":1})");
  EXPECT_EQ(described_call("Stop", Json::object()), "Stop");
}

TEST(ShownCall, TextIsCutBetweenCharacters) {
  EXPECT_EQ(shortened("äöü", 6), "äöü");
  EXPECT_EQ(shortened("äöüä", 7), "äö…");
  EXPECT_EQ(shortened("äöü", 2), "");
}

}  // namespace
}  // namespace luzia::mcp
