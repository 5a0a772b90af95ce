// The text that a hook receives for an event.
#include "adapters/notify/notice.h"

#include <nlohmann/json.hpp>

#include "projections/rows/json.h"
#include "tests/matchers.h"
#include "tests/packed_event.h"

namespace luzia {
namespace {

class NoticeTest : public testing::Test {
 protected:
  const schema::Event& encode(NewEvent event) {
    schema::EventT envelope;
    envelope.site = "here";
    envelope.position = 42;
    envelope.time_us = 1'767'225'600'000'000;
    envelope.actor = std::make_unique<schema::ActorT>();
    return *event_.emplace(std::move(event), std::move(envelope));
  }
  const schema::Event& failure(std::uint32_t attempt = 1) {
    schema::JobEndedT fact;
    fact.state = schema::JobState::failed;
    fact.attempt = attempt;
    return encode(job_event("k1", std::move(fact)));
  }

 private:
  std::optional<PackedEvent> event_;
};

TEST_F(NoticeTest, ContainsTheFollowLineAndVariables) {
  view::JobT job;
  job.project = "web";
  job.attempt = 1;
  job.exit_code = 3;
  job.dir = "/jobs/k1";
  const schema::Event& event = failure();
  const Notice notice = make_notice(event, HookOn::job_failed, &job, {}, "desk");
  EXPECT_EQ(notice.json, event_json(event));
  EXPECT_EQ(notice.id(), "here:42");
  for (const char* variable :
       {"LUZIA_EVENT=job_failed", "LUZIA_EVENT_TYPE=JobEnded", "LUZIA_POSITION=42", "LUZIA_EVENT_ID=here:42",
        "LUZIA_HOOK=desk", "LUZIA_JOB_ID=k1", "LUZIA_PROJECT=web", "LUZIA_STATE=failed",
        "LUZIA_REASON=exit_code", "LUZIA_EXIT_CODE=3", "LUZIA_ATTEMPT=1", "LUZIA_JOB_DIR=/jobs/k1",
        "LUZIA_TIME=2026-01-01T00:00:00.000000Z"}) {
    EXPECT_THAT(notice.variables, Contains(variable));
  }
}

TEST_F(NoticeTest, QuestionComesWithHowToAnswer) {
  view::JobT job;
  job.project = "web";
  NoticeInput input;
  input.question.emplace();
  input.question->id = "q-1";
  input.question->job = "k1";
  input.question->type = schema::QuestionType::choice;
  input.question->question = "Where\x1b[2J to?";
  input.question->options = {"production", "staging"};
  schema::QuestionAskedT fact;
  fact.question = "q-1";
  const schema::Event& event = encode(job_event("k1", std::move(fact)));
  const Notice notice = make_notice(event, HookOn::question_asked, &job, input, "desk");
  for (const char* part : {"Where", "1 production, 2 staging", "luzia answer q-1 1"}) {
    EXPECT_THAT(notice.text, testing::HasSubstr(part));
  }
  EXPECT_EQ(notice.text.find('\x1b'), std::string::npos);
  EXPECT_THAT(notice.variables, Contains("LUZIA_QUESTION_ID=q-1"));
  EXPECT_THAT(notice.variables, Contains("LUZIA_OPTIONS=1 production, 2 staging"));
  input.question->state = view::QuestionState::answered;
  const Notice late = make_notice(event, HookOn::question_asked, &job, input, "desk");
  EXPECT_EQ(late.text.find("luzia answer"), std::string::npos);
}

TEST_F(NoticeTest, ExitCodeIsThatOfItsAttempt) {
  view::JobT job;
  job.attempt = 2;
  job.exit_code = 0;
  EXPECT_THAT(make_notice(failure(1), HookOn::job_failed, &job, {}, "desk").variables,
              Not(Contains(StartsWith("LUZIA_EXIT_CODE="))));
}

TEST_F(NoticeTest, FailureSaysItsFirstCause) {
  view::JobT job;
  job.attempt = 1;
  job.failure = std::make_unique<view::FailureT>();
  job.failure->summary = "test_total: 3 != 4\x1b[2J";
  const Notice notice = make_notice(failure(1), HookOn::job_failed, &job, {}, "desk");
  EXPECT_THAT(notice.text, HasSubstr("\ntest_total: 3 != 4"));
  EXPECT_EQ(notice.text.find('\x1b'), std::string::npos);
  EXPECT_THAT(notice.variables, Contains(StartsWith("LUZIA_FAILURE=test_total: 3 != 4")));
  job.attempt = 2;
  const Notice later = make_notice(failure(1), HookOn::job_failed, &job, {}, "desk");
  EXPECT_THAT(later.text, Not(HasSubstr("test_total"))) << "the row is of another attempt";
}

TEST_F(NoticeTest, AgentTextIsSanitized) {
  schema::WarningReportedT fact;
  fact.message = "two\nlines\x1b[2J";
  const Notice notice =
      make_notice(encode(job_event("k1", std::move(fact))), HookOn::warning, nullptr, {}, "desk");
  EXPECT_EQ(notice.text.find_first_of("\n\x1b"), std::string::npos);
  for (const std::string& variable : notice.variables) {
    EXPECT_EQ(variable.find_first_of("\n\x1b"), std::string::npos) << variable;
  }
}

TEST_F(NoticeTest, SampleOfEachKindLooksReal) {
  for (const std::string& name : hook_event_names()) {
    const HookOn on = *parse_hook_event(name);
    const Notice sample = sample_notice(on, "here", 1, "desk");
    EXPECT_EQ(sample.event, name);
    EXPECT_EQ(sample.position, 0u);
    EXPECT_THAT(sample.variables, Contains("LUZIA_SAMPLE=1"));
    EXPECT_TRUE(nlohmann::json::accept(sample.json)) << sample.json;
    EXPECT_THAT(sample.text, StartsWith("Sample of a notice: "));
    EXPECT_THAT(sample.text, Not(HasSubstr("()")));
    EXPECT_FALSE(sample.request.has_value()) << "nobody waits for an answer";
  }
}

TEST_F(NoticeTest, SamplesHaveTheEventsVariables) {
  EXPECT_THAT(sample_notice(HookOn::job_failed, "here", 1, "desk").variables, Contains("LUZIA_EXIT_CODE=1"));
  EXPECT_THAT(sample_notice(HookOn::job_completed, "here", 1, "desk").variables,
              Contains("LUZIA_EXIT_CODE=0"));
  const Notice asked = sample_notice(HookOn::question_asked, "here", 1, "desk");
  EXPECT_THAT(asked.variables, Contains("LUZIA_QUESTION=Where shall this be deployed to?"));
  EXPECT_THAT(asked.text, HasSubstr("Where shall this be deployed to?"));
}

}  // namespace
}  // namespace luzia
