// Reads that run in steps: the question first, then the answer, which is what a run that waits prints.
#include "tools/luzia-web/stepped_reading.h"

#include "tests/matchers.h"

namespace luzia::web {
namespace {

Request get(std::string path, std::vector<std::pair<std::string, std::string>> query = {}) {
  Request request;
  request.method = "GET";
  request.path = std::move(path);
  request.query = std::move(query);
  return request;
}

SteppedReading reading_of(const Request& request) {
  return {"/nowhere/socket", *find_route("GET", request.path), request};
}

const wire::QueryT* question_in(const std::variant<Answer, wire::QueryT>& step) {
  return std::get_if<wire::QueryT>(&step);
}

Result<std::unique_ptr<Source>> nobody_to_ask() {
  return fail(ErrorKind::trouble, "nobody", "nobody is there to ask");
}

TEST(SteppedReading, AsksThenAnswers) {
  SteppedReading reading = reading_of(get("/v1/questions"));
  EXPECT_TRUE(reading.is_light());
  const auto first = reading.step();
  ASSERT_NE(question_in(first), nullptr);
  EXPECT_EQ(question_in(first)->view, wire::View::questions);
  RowPage page;
  page.type = wire::RowType::question;
  page.position = 7;
  reading.take(page);
  const auto second = reading.step();
  ASSERT_EQ(question_in(second), nullptr);
  const Answer& answer = std::get<Answer>(second);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, testing::HasSubstr("\"position\":7"));
  EXPECT_EQ(reading.finish({"", nobody_to_ask}).body, answer.body) << "nothing was left to ask";
}

TEST(SteppedReading, RefusalOfTheDaemonIsTheAnswer) {
  SteppedReading reading = reading_of(get("/v1/jobs/1qx3adnc00ke8"));
  ASSERT_NE(question_in(reading.step()), nullptr);
  reading.take(fail(ErrorKind::not_found, "no_such_job", "there is no such job"));
  const auto step = reading.step();
  ASSERT_EQ(question_in(step), nullptr);
  EXPECT_EQ(std::get<Answer>(step).status, 404);
  EXPECT_THAT(std::get<Answer>(step).body, testing::HasSubstr("no_such_job"));
}

TEST(SteppedReading, WhatIsLeftToAskGoesToThePlace) {
  SteppedReading reading = reading_of(get("/v1/questions"));
  const Answer answer = reading.finish({"", nobody_to_ask});
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, testing::HasSubstr("nobody"));
}

TEST(SteppedReading, BadParametersNeedNoQuestion) {
  SteppedReading reading = reading_of(get("/v1/jobs", {{"limit", "0"}}));
  const auto step = reading.step();
  ASSERT_EQ(question_in(step), nullptr);
  EXPECT_EQ(std::get<Answer>(step).status, 400);
}

TEST(SteppedReading, PastLongAndLargeReadsAreNotLight) {
  EXPECT_FALSE(reading_of(get("/v1/jobs", {{"at", "12"}})).is_light());
  EXPECT_FALSE(reading_of(get("/v1/jobs", {{"words", std::string(5'000, 'x')}})).is_light());
  SteppedReading large = reading_of(get("/v1/questions"));
  RowPage page;
  page.rows = {std::string(1 << 20, 'x')};
  large.take(page);
  EXPECT_FALSE(large.is_light());
  SteppedReading many = reading_of(get("/v1/questions"));
  for (int i = 0; i < 3; ++i) many.take(RowPage());
  EXPECT_FALSE(many.is_light());
}

}  // namespace
}  // namespace luzia::web
