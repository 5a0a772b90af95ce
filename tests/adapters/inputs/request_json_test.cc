// The parsers of questions and gates: what is valid, what is incomplete, and what is refused.
#include "adapters/inputs/request_file.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using schema::QuestionType;

QuestionFile question(std::string_view json) {
  const auto parsed = parse_question_file(json);
  EXPECT_TRUE(parsed && *parsed) << json << (parsed ? "" : parsed.error().message);
  return parsed && *parsed ? **parsed : QuestionFile{};
}

GateFile gate(std::string_view json) {
  const auto parsed = parse_gate_file(json);
  EXPECT_TRUE(parsed && *parsed) << json << (parsed ? "" : parsed.error().message);
  return parsed && *parsed ? **parsed : GateFile{};
}

std::string refusal(std::string_view json) {
  const auto parsed = parse_question_file(json);
  return parsed ? "not refused" : parsed.error().message;
}

std::string gate_refusal(std::string_view json) {
  const auto parsed = parse_gate_file(json);
  return parsed ? "not refused" : parsed.error().message;
}

TEST(QuestionFileTest, DocumentedExampleIsRead) {
  const QuestionFile file =
      question(R"({"type":"choice","question":"Where to?","options":["production","staging"],)"
               R"("timeout_minutes":30,"default_if_timeout":"staging"})");
  EXPECT_EQ(file.type, QuestionType::choice);
  EXPECT_EQ(file.question, "Where to?");
  EXPECT_THAT(file.options, ElementsAre("production", "staging"));
  EXPECT_EQ(file.timeout, 30 * kMinuteUs);
  EXPECT_EQ(file.default_answer, "staging");
}

TEST(QuestionFileTest, TypeDefaultsToChoiceOrText) {
  EXPECT_EQ(question(R"({"question":"a?","options":["x","y"]})").type, QuestionType::choice);
  EXPECT_EQ(question(R"({"type":"Choice","question":"a?","options":["x","y"]})").type, QuestionType::choice);
  EXPECT_EQ(question(R"({"question":"a?"})").type, QuestionType::text);
  EXPECT_EQ(question(R"({"question":"a?","type":null,"options":null})").type, QuestionType::text);
}

TEST(QuestionFileTest, OwnIdIsAnyTextOfUpTo200Bytes) {
  EXPECT_EQ(question(R"({"question":"a?"})").own_id, "");
  EXPECT_EQ(question(R"({"question":"a?","id":"no. 7\n\u00e9"})").own_id, "no. 7\n\xc3\xa9");
  EXPECT_EQ(gate(R"({"gate":"g","id":"7"})").own_id, "7");
  const auto of_size = [](std::size_t size) {
    return R"({"question":"a?","gate":"g","id":")" + std::string(size, 'x') + "\"}";
  };
  EXPECT_EQ(question(of_size(200)).own_id.size(), 200u);
  EXPECT_THAT(refusal(of_size(201)), HasSubstr("\"id\" is longer than 200 bytes"));
  EXPECT_THAT(gate_refusal(of_size(201)), HasSubstr("\"id\" is longer than 200 bytes"));
  EXPECT_EQ(question(R"({"question":"a?","id":7})").own_id, "");
}

TEST(QuestionFileTest, OnlyTheQuestionIsRequired) {
  const QuestionFile file = question(R"({"question":"a?"})");
  EXPECT_EQ(file.timeout, 0);
  EXPECT_EQ(file.default_answer, "");
  EXPECT_THAT(file.options, IsEmpty());
}

TEST(QuestionFileTest, UnknownMembersAreIgnored) {
  EXPECT_EQ(question(R"({"question":"a?","header":{"deep":[1,2]},"id":7})").question, "a?");
}

TEST(QuestionFileTest, DefaultsMayBeBooleansAndLists) {
  EXPECT_EQ(question(R"({"type":"confirm","question":"a?","default_if_timeout":true})").default_answer,
            "yes");
  EXPECT_EQ(question(R"({"type":"confirm","question":"a?","default_if_timeout":false})").default_answer,
            "no");
  EXPECT_EQ(question(R"({"type":"confirm","question":"a?","default_if_timeout":"no"})").default_answer, "no");
  EXPECT_EQ(question(R"({"type":"multi_select","question":"a?","options":["a","b","c"],)"
                     R"("default_if_timeout":["a","c"]})")
                .default_answer,
            "a, c");
}

TEST(QuestionFileTest, FractionsOfMinutesCountZeroMeansNone) {
  EXPECT_EQ(question(R"({"question":"a?","timeout_minutes":0.5})").timeout, 30 * kSecondUs);
  EXPECT_EQ(question(R"({"question":"a?","timeout_minutes":0})").timeout, 0);
  EXPECT_EQ(question(R"({"question":"a?","timeout_minutes":1e-9})").timeout, 1);
}

TEST(QuestionFileTest, TextQuestionsIgnoreOptions) {
  EXPECT_THAT(question(R"({"type":"text","question":"a?","options":["x"]})").options, IsEmpty());
}

TEST(QuestionFileTest, EveryPrefixOfAFileIsUnfinished) {
  const std::string whole =
      R"({"type":"choice","question":"Wo\u00e4?","options":["a","b"],"timeout_minutes":30})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto parsed = parse_question_file(std::string_view(whole).substr(0, length));
    ASSERT_TRUE(parsed) << length << ": " << parsed.error().message;
    ASSERT_FALSE(*parsed) << length;
  }
  EXPECT_EQ(question(whole).question, "Woä?");
}

TEST(QuestionFileTest, InvalidUtf8IsNoJson) {
  const auto parsed = parse_question_file("{\"question\":\"\xff\xfe\"}");
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(*parsed);
}

TEST(QuestionFileTest, InvalidQuestionIsRefusedWithTheReason) {
  EXPECT_THAT(refusal("[]"), HasSubstr("not an object"));
  EXPECT_THAT(refusal("7"), HasSubstr("not an object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("no \"question\""));
  EXPECT_THAT(refusal(R"({"question":" \n"})"), HasSubstr("no \"question\""));
  EXPECT_THAT(refusal(R"({"question":7})"), HasSubstr("\"question\" is not a string"));
  EXPECT_THAT(refusal(R"({"question":"a?","type":"poll"})"), HasSubstr("none of choice, text, confirm"));
  EXPECT_THAT(refusal(R"({"question":"a?","type":3})"), HasSubstr("\"type\" is not a string"));
  EXPECT_THAT(refusal(R"({"question":"a?","type":"choice"})"), HasSubstr("without \"options\""));
  EXPECT_THAT(refusal(R"({"question":"a?","type":"choice","options":[]})"), HasSubstr("without \"options\""));
  EXPECT_THAT(refusal(R"({"question":"a?","options":["a",7]})"), HasSubstr("list of strings"));
  EXPECT_THAT(refusal(R"({"question":"a?","options":"a,b"})"), HasSubstr("list of strings"));
  EXPECT_THAT(refusal(R"({"question":"a?","timeout_minutes":-1})"), HasSubstr("negative"));
  EXPECT_THAT(refusal(R"({"question":"a?","timeout_minutes":"30"})"), HasSubstr("number of minutes"));
  EXPECT_THAT(refusal(R"({"question":"a?","timeout_minutes":1e300})"), HasSubstr("more than a year"));
  EXPECT_THAT(refusal(R"({"question":"a?","default_if_timeout":{}})"), HasSubstr("default_if_timeout"));
}

TEST(QuestionFileTest, DeepNestingIsSafe) {
  const std::string deep(30'000, '[');
  const auto unfinished = parse_question_file(deep);
  ASSERT_TRUE(unfinished);
  EXPECT_FALSE(*unfinished);
  EXPECT_THAT(refusal(deep + std::string(30'000, ']')), HasSubstr("not an object"));
}

TEST(GateFileTest, DocumentedExampleIsRead) {
  const GateFile file = gate(
      R"({"gate":"database_migration","description":"Drops a column","awaiting_since":"2026-11-21T09:00:00Z",)"
      R"("auto_approve_after_minutes":15})");
  EXPECT_EQ(file.gate, "database_migration");
  EXPECT_EQ(file.description, "Drops a column");
  EXPECT_EQ(file.auto_approve_after, 15 * kMinuteUs);
}

TEST(GateFileTest, WithoutMinutesItIsNeverApprovedAutomatically) {
  EXPECT_EQ(gate(R"({"gate":"g","auto_approve_after_minutes":null})").auto_approve_after, 0);
  EXPECT_EQ(gate(R"({"gate":"g","auto_approve_after_minutes":0})").auto_approve_after, 0);
  EXPECT_EQ(gate(R"({"gate":"g"})").auto_approve_after, 0);
}

TEST(GateFileTest, InvalidGateIsRefusedWithTheReason) {
  EXPECT_THAT(gate_refusal("null"), HasSubstr("not an object"));
  EXPECT_THAT(gate_refusal(R"({"description":"d"})"), HasSubstr("no \"gate\""));
  EXPECT_THAT(gate_refusal(R"({"gate":["g"]})"), HasSubstr("\"gate\" is not a string"));
  EXPECT_THAT(gate_refusal(R"({"gate":"g","description":1})"), HasSubstr("\"description\""));
  EXPECT_THAT(gate_refusal(R"({"gate":"g","awaiting_since":1})"), HasSubstr("\"awaiting_since\""));
  EXPECT_THAT(gate_refusal(R"({"gate":"g","auto_approve_after_minutes":-5})"), HasSubstr("negative"));
}

}  // namespace
}  // namespace luzia
