#include "adapters/inputs/hand_answer.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(HandAnswer, ValueMayHaveSeveralNames) {
  for (const char* json : {R"({"choice":"yes"})", R"({"answer":"yes"})", R"({"text":"yes"})",
                           R"({"response":"yes"})", R"({"confirmed":true})", R"({"choices":["yes"]})"}) {
    const auto answer = parse_response_file(json);
    ASSERT_TRUE(answer && *answer) << json;
    EXPECT_EQ((*answer)->value, "yes") << json;
  }
  EXPECT_EQ((*parse_response_file(R"({"choices":["a","b"],"question_id":"q-1"})"))->value, "a, b");
  EXPECT_EQ((*parse_response_file(R"({"choice":3,"question_id":"q-1"})"))->id, "q-1");
}

TEST(HandAnswer, DecisionMayBeSignedOnly) {
  EXPECT_TRUE((*parse_decision_file(R"({"approved":true})"))->approve);
  EXPECT_FALSE((*parse_decision_file(R"({"approved":false,"approved_by":"ana"})"))->approve);
  EXPECT_FALSE((*parse_decision_file(R"({"decision":"Denied"})"))->approve);
  EXPECT_TRUE((*parse_decision_file(R"({"approved_by":"ana","gate":"deploy"})"))->approve);
}

TEST(HandAnswer, UnclearContentIsNoAnswer) {
  EXPECT_FALSE(parse_response_file("{}"));
  EXPECT_FALSE(parse_response_file("[]"));
  EXPECT_FALSE(parse_decision_file("{}"));
  EXPECT_FALSE(parse_decision_file(R"({"approved":"perhaps","approved_by":"ana"})"));
  EXPECT_FALSE(parse_response_file(R"({"choice":)")->has_value()) << "perhaps unfinished";
}

}  // namespace
}  // namespace luzia
