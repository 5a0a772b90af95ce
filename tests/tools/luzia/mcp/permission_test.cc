// The permission prompt of Claude Code: allowed, denied, or asked of a person. Every failure is a denial.
#include "adapters/config/gate_policy.h"
#include "tests/tools/luzia/mcp/client_side.h"

namespace luzia::mcp {
namespace {

class PermissionTest : public ClientSide {
 protected:
  Json prompt(const std::string& tool, const Json& input) {
    return Json::parse(
        text_of("permission_prompt", {{"tool_name", tool}, {"input", input}, {"tool_use_id", "toolu_1"}}));
  }
};

Json database_question() {
  return {
      {"question", "Which database?"},
      {"header", "Database"},
      {"options",
       {{{"label", "SQLite"}, {"description", "One file"}}, {{"label", "PostgreSQL"}, {"description", ""}}}},
      {"multiSelect", false}};
}

TEST_F(PermissionTest, ApprovedCallKeepsItsInput) {
  door.decision.decision = schema::Decision::approved;
  const Json input = {{"command", "git push"}, {"timeout", 1.5}, {"nested", {{"a", {1, 2}}}}};
  const Json answer = prompt("Bash", input);
  EXPECT_EQ(answer, (Json{{"behavior", "allow"}, {"updatedInput", input}}));
  const auto& approval = door.approvals.at(0);
  EXPECT_EQ(approval.gate, "Bash");
  EXPECT_EQ(approval.tool, "Bash");
  EXPECT_EQ(approval.description, "Bash: git push");
  EXPECT_EQ(Json::parse(approval.tool_input), input);
  EXPECT_EQ(approval.call_id, "toolu_1");
  door.await_confirmed(1);
  EXPECT_THAT(door.confirmed, ElementsAre("job-1/a-Bash"));
}

TEST_F(PermissionTest, DeniedCallNamesPersonAndReason) {
  door.decision.decision = schema::Decision::denied;
  door.decision.decided_by = "ana";
  door.decision.note = "not on Friday";
  EXPECT_EQ(prompt("Bash", {{"command", "git push"}}),
            (Json{{"behavior", "deny"}, {"message", "denied by ana: not on Friday"}}));
}

TEST_F(PermissionTest, TimeoutsAndErrorsAreDenied) {
  door.decision.state = view::QuestionState::cancelled;
  EXPECT_EQ(prompt("Bash", {{"command", "x"}})["behavior"], "deny");
  EXPECT_THAT(door.confirmed, IsEmpty());
  door.refusal = Error{ErrorKind::trouble, "no_daemon", "there is no daemon", {}};
  const Json answer = prompt("Bash", {{"command", "x"}});
  EXPECT_EQ(answer["behavior"], "deny");
  EXPECT_THAT(answer["message"].get<std::string>(), HasSubstr("there is no daemon"));
}

TEST_F(PermissionTest, LuziasToolsAreAllowedUnasked) {
  EXPECT_EQ(prompt("mcp__luzia__ask_user", {{"question", "q"}})["behavior"], "allow");
  EXPECT_THAT(door.approvals, IsEmpty());
}

TEST_F(PermissionTest, ForeignToolIsNotLuzias) {
  door.decision.decision = schema::Decision::denied;
  EXPECT_EQ(prompt("mcp__luzia__evil__run", Json::object())["behavior"], "deny");
  EXPECT_EQ(door.approvals.at(0).tool, "mcp__luzia__evil__run");
}

TEST_F(PermissionTest, TruncatedInputIsNeverAllowed) {
  door.decision.decision = schema::Decision::approved;
  const std::string long_line = "echo " + std::string(70'000, 'a') + "; rm -rf /tmp/zzz";
  for (const Json& input :
       {Json{{"command", long_line}}, Json{{"file_path", "/a"}, {"content", std::string(200'000, 'x')}}}) {
    const Json answer = prompt("Bash", input);
    EXPECT_EQ(answer["behavior"], "deny");
    EXPECT_THAT(answer["message"].get<std::string>(), HasSubstr("too long to be judged"));
  }
  for (const auto& approval : door.approvals) {
    EXPECT_LE(approval.tool_input.size(), 64U * 1024);
    EXPECT_EQ(Json::parse(approval.tool_input)[std::string(kCutMark)], true);
  }
  EXPECT_EQ(door.approvals.size(), 2U) << "the daemon records what it denies";
}

TEST_F(PermissionTest, AskUserQuestionReturnsAPersonsAnswer) {
  const std::string shown = "Which database?\n  SQLite: One file";
  door.answers[shown] = "PostgreSQL";
  const Json input = {{"questions", Json::array({database_question()})}};
  const Json answer = prompt("AskUserQuestion", input);
  EXPECT_EQ(answer["behavior"], "allow");
  EXPECT_EQ(answer["updatedInput"]["questions"], input["questions"]);
  EXPECT_EQ(answer["updatedInput"]["answers"], (Json{{"Which database?", "PostgreSQL"}}));
  ASSERT_EQ(door.questions.size(), 1U);
  EXPECT_EQ(door.questions[0].question, shown);
  EXPECT_EQ(door.questions[0].type, schema::QuestionType::choice);
  EXPECT_THAT(door.questions[0].options, ElementsAre("SQLite", "PostgreSQL"));
  EXPECT_TRUE(door.questions[0].free_text);
  EXPECT_EQ(door.questions[0].call_id, "toolu_1");
}

TEST_F(PermissionTest, SeveralQuestionsAreAskedTogether) {
  Json second = {{"question", "Which parts?"},
                 {"options", {{{"label", "A"}}, {{"label", "B"}}, {{"label", "B"}}}},
                 {"multiSelect", true}};
  door.answers["Which parts?"] = "A, B";
  door.hold();
  call(7, "permission_prompt",
       {{"tool_name", "AskUserQuestion"}, {"input", {{"questions", {database_question(), second}}}}});
  door.await_arrivals(2);
  door.let_go();
  const Json answer = Json::parse(heard()["result"]["content"][0]["text"].get<std::string>());
  EXPECT_EQ(answer["updatedInput"]["answers"],
            (Json{{"Which database?", "an answer"}, {"Which parts?", "A, B"}}));
  door.await_confirmed(2);
  EXPECT_THAT(door.confirmed, UnorderedElementsAre("job-1/q-Which da", "job-1/q-Which pa"));
  for (const auto& question : door.questions) {
    if (question.question != "Which parts?") continue;
    EXPECT_EQ(question.type, schema::QuestionType::multi_select);
    EXPECT_THAT(question.options, ElementsAre("A", "B"));
  }
}

TEST_F(PermissionTest, QuestionWithoutOptionsIsFreeText) {
  prompt("AskUserQuestion", {{"questions", {{{"question", "Why?"}, {"options", {{{"label", "One"}}}}}}}});
  EXPECT_EQ(door.questions.at(0).type, schema::QuestionType::text);
  EXPECT_THAT(door.questions.at(0).options, IsEmpty());
}

TEST_F(PermissionTest, UnansweredQuestionIsDenied) {
  door.question_state = view::QuestionState::timed_out;
  const Json answer = prompt("AskUserQuestion", {{"questions", Json::array({database_question()})}});
  EXPECT_EQ(answer["behavior"], "deny");
  EXPECT_THAT(answer["message"].get<std::string>(), HasSubstr("nobody answered"));
}

TEST_F(PermissionTest, InvalidQuestionsAreDenied) {
  for (const Json& input : {Json::object(), Json{{"questions", "none"}}, Json{{"questions", Json::array()}},
                            Json{{"questions", {1, 2}}}, Json{{"questions", {{{"question", ""}}}}},
                            Json{{"questions", {{{"question", 7}, {"options", 7}}}}},
                            Json{{"questions", {database_question(), database_question()}}}}) {
    EXPECT_EQ(prompt("AskUserQuestion", input)["behavior"], "deny") << input;
  }
  EXPECT_THAT(door.questions, IsEmpty());
}

TEST_F(PermissionTest, ModelsOwnAnswersAreDropped) {
  const Json answer = prompt("AskUserQuestion", {{"questions", Json::array({database_question()})},
                                                 {"answers", {{"Which database?", "mine"}, {"x", "y"}}}});
  EXPECT_EQ(answer["updatedInput"]["answers"], (Json{{"Which database?", "an answer"}}));
}

}  // namespace
}  // namespace luzia::mcp
