// Guesses of what reads ask the daemon first: told while they stay the same, and no longer.
#include "tools/luzia-web/likely_questions.h"

#include <gtest/gtest.h>

namespace luzia::web {
namespace {

wire::QueryT question_about(const std::string& job, std::uint32_t limit = 1) {
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.limit = limit;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job};
  return query;
}

TEST(LikelyQuestions, TellsWhatAReadAskedBefore) {
  LikelyQuestions likely;
  EXPECT_EQ(likely.find("phone\n/v1/jobs/a"), nullptr);
  EXPECT_FALSE(likely.note("phone\n/v1/jobs/a", question_about("a"))) << "nothing was known";
  const wire::QueryT* const told = likely.find("phone\n/v1/jobs/a");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->filter->jobs, std::vector<std::string>{"a"});
  EXPECT_TRUE(likely.note("phone\n/v1/jobs/a", question_about("a")));
  EXPECT_EQ(likely.find("laptop\n/v1/jobs/a"), nullptr) << "of another device";
}

TEST(LikelyQuestions, ReadWhoseQuestionChangesIsNeverGuessedAgain) {
  LikelyQuestions likely;
  likely.note("phone\n/v1/jobs", question_about("a"));
  EXPECT_FALSE(likely.note("phone\n/v1/jobs", question_about("a", 2)));
  EXPECT_EQ(likely.find("phone\n/v1/jobs"), nullptr);
  EXPECT_FALSE(likely.note("phone\n/v1/jobs", question_about("a"))) << "it was not told";
  EXPECT_EQ(likely.find("phone\n/v1/jobs"), nullptr);
}

TEST(LikelyQuestions, RemembersABoundedNumber) {
  LikelyQuestions likely;
  for (std::size_t i = 0; i < LikelyQuestions::kMost; ++i)
    likely.note(std::to_string(i), question_about("a"));
  ASSERT_NE(likely.find("0"), nullptr);
  likely.note("one more", question_about("a"));
  EXPECT_EQ(likely.find("0"), nullptr);
  EXPECT_NE(likely.find("one more"), nullptr);
}

}  // namespace
}  // namespace luzia::web
