// How people answered: by whom, in time or late, and what nobody answered.
#include "projections/rows/answer_statistics.h"

#include <gtest/gtest.h>

#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

constexpr TimeUs kAsked = 1'767'225'600'000'000, kMeant = kAsked + 60 * kSecondUs;

view::QuestionT asked(view::QuestionState state, const std::string& by = {}, TimeUs answered = 0) {
  view::QuestionT row;
  row.project = "web";
  row.asked_us = kAsked;
  row.answer_by_us = kMeant;
  row.state = state;
  row.answered_by = by;
  row.answered_us = answered;
  return row;
}

std::string summed(const std::vector<view::QuestionT>& questions, AnswersBy by, TimeUs now) {
  std::vector<std::string> bytes;
  for (const auto& each : questions) bytes.push_back(row_bytes(each));
  ShownQuestions rows;
  for (const auto& each : bytes) rows.push_back(verified_row<view::Question>(as_bytes(each)));
  std::string all;
  for (const AnswerStatistic& row : answer_statistics(rows, {}, by, now)) {
    all += row.key + ": " + std::to_string(row.answered) + " answered, " + std::to_string(row.kept) +
           " kept, " + std::to_string(row.missed) + " missed\n";
  }
  return all;
}

TEST(AnswerStatistics, LateAnswersAndOverdueQuestionsAreMissed) {
  using enum view::QuestionState;
  const std::vector<view::QuestionT> rows = {
      asked(answered, "ada", kMeant), asked(answered, "ada", kMeant + 1), asked(open), asked(cancelled)};
  EXPECT_EQ(summed(rows, AnswersBy::person, kMeant), "ada: 2 answered, 1 kept, 1 missed\n");
  EXPECT_EQ(summed(rows, AnswersBy::person, kMeant + 1),
            "ada: 2 answered, 1 kept, 1 missed\n(nobody): 0 answered, 0 kept, 1 missed\n");
  EXPECT_EQ(summed(rows, AnswersBy::project, kMeant + 1), "web: 2 answered, 1 kept, 2 missed\n");
}

TEST(AnswerStatistics, DefaultsInTimeAreNobodysAnswers) {
  view::QuestionT row = asked(view::QuestionState::answered, "default", kMeant);
  row.by_default = true;
  EXPECT_EQ(summed({row}, AnswersBy::person, kMeant), "");
  row.answered_us = kMeant + 1;
  EXPECT_EQ(summed({row}, AnswersBy::person, kMeant + 1), "(nobody): 0 answered, 0 kept, 1 missed\n");
}

}  // namespace
}  // namespace luzia
