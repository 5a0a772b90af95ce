// response.json and approved.json, byte by byte.
#include "adapters/inputs/answer_file.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

using schema::Decision;
using schema::QuestionType;

constexpr TimeUs kWhen = 1'795'000'000'000'001;

AnswerText answer(QuestionType type, std::string text, std::vector<std::string> options = {}) {
  return {"q-1", type, std::move(options), std::move(text), "ada", kWhen};
}

TEST(AnswerFileTest, ChoiceHasTheDocumentedFormat) {
  EXPECT_EQ(response_json(answer(QuestionType::choice, "staging", {"production", "staging"})),
            R"({"choice":"staging","question_id":"q-1","answered_by":"ada",)"
            R"("answered_at":"2026-11-18T11:06:40.000001Z"})"
            "\n");
}

TEST(AnswerFileTest, EachQuestionTypeHasItsOwnFields) {
  EXPECT_THAT(response_json(answer(QuestionType::text, "blue")),
              testing::StartsWith(R"({"choice":"blue","text":"blue","question_id")"));
  EXPECT_THAT(response_json(answer(QuestionType::confirm, "yes")),
              testing::StartsWith(R"({"choice":"yes","confirmed":true,)"));
  EXPECT_THAT(response_json(answer(QuestionType::confirm, "no")),
              testing::StartsWith(R"({"choice":"no","confirmed":false,)"));
  EXPECT_THAT(response_json(answer(QuestionType::multi_select, "a, c", {"a", "b", "c"})),
              testing::StartsWith(R"({"choice":"a, c","choices":["a","c"],)"));
}

TEST(AnswerFileTest, InvalidUtf8IsReplaced) {
  EXPECT_THAT(response_json(answer(QuestionType::text, "a\xff")), testing::HasSubstr("a\xEF\xBF\xBD"));
}

TEST(AnswerFileTest, OptionsMayContainCommas) {
  EXPECT_THAT(chosen_options("a, b, c", {"a, b", "c"}), ElementsAre("a, b", "c"));
  EXPECT_THAT(chosen_options("a, b", {"a", "b", "a, b"}), ElementsAre("a, b"));
  EXPECT_THAT(chosen_options("a, b, c", {"a", "a, b", "b, c"}), ElementsAre("a", "b, c"));
  EXPECT_THAT(chosen_options("x, y", {"a"}), ElementsAre("x, y"));
  EXPECT_THAT(chosen_options("", {"a"}), testing::IsEmpty());
}

TEST(AnswerFileTest, DecisionNamesPersonTimeAndOutcome) {
  const DecisionText decision{"a-1", "migrate", Decision::approved, "ada", kWhen, "go \"on\""};
  EXPECT_EQ(
      decision_json(decision),
      R"({"gate":"migrate","approval_id":"a-1","decision":"approved","approved":true,"decided_by":"ada",)"
      R"("decided_at":"2026-11-18T11:06:40.000001Z","note":"go \"on\""})"
      "\n");
}

TEST(AnswerFileTest, RequestsOwnIdIsEchoed) {
  AnswerText said = answer(QuestionType::choice, "a", {"a", "b"});
  said.own_id = "mine \"1\"";
  EXPECT_THAT(response_json(said), testing::HasSubstr(R"("id":"mine \"1\"","question_id":"q-1")"));
  const DecisionText decision{"a-1", "migrate", Decision::denied, "ada", kWhen, "", "mine"};
  EXPECT_THAT(decision_json(decision), testing::HasSubstr(R"("id":"mine","approval_id":"a-1")"));
}

TEST(AnswerFileTest, UnapprovedGateIsNotApproved) {
  for (const Decision decision : {Decision::denied, Decision::expired}) {
    EXPECT_THAT(decision_json({"a-1", "g", decision, "policy", kWhen, ""}),
                testing::HasSubstr(R"("approved":false)"));
  }
}

}  // namespace
}  // namespace luzia
