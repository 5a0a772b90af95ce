// Each kind of publication fills all fields of the schema's report.
#include "tests/matchers.h"
#include "tools/publisher/sender.h"

namespace luzia {
namespace {

namespace say = publication;

TEST(PublisherReports, TaskStarted) {
  const auto report = report_of(say::TaskStarted{"t-1", "web", "Build it", 12.5});
  const auto* fact = report.AsTaskStarted();
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->task_id, "t-1");
  EXPECT_EQ(fact->project, "web");
  EXPECT_EQ(fact->description, "Build it");
  EXPECT_DOUBLE_EQ(fact->estimated_duration_seconds, 12.5);
}

TEST(PublisherReports, ProgressOmitsUnknownFields) {
  const auto known = report_of(say::Progress{40, 2, 5, "Run tests", 10, 15});
  const auto* fact = known.AsProgressReported();
  ASSERT_NE(fact, nullptr);
  EXPECT_DOUBLE_EQ(fact->progress_percent.value(), 40);
  EXPECT_EQ(fact->current_step, 2u);
  EXPECT_EQ(fact->total_steps, 5u);
  EXPECT_EQ(fact->current_step_name, "Run tests");
  EXPECT_DOUBLE_EQ(fact->elapsed_seconds, 10);
  EXPECT_DOUBLE_EQ(fact->estimated_remaining_seconds.value(), 15);
  const auto unknown = report_of(say::Progress{.current_step = 3});
  EXPECT_FALSE(unknown.AsProgressReported()->progress_percent.has_value());
  EXPECT_FALSE(unknown.AsProgressReported()->estimated_remaining_seconds.has_value());
}

TEST(PublisherReports, TaskCompletedWithEachVerdict) {
  const std::pair<say::Verdict, schema::Verdict> verdicts[] = {
      {say::Verdict::none, schema::Verdict::none},
      {say::Verdict::approved, schema::Verdict::APPROVED},
      {say::Verdict::needs_work, schema::Verdict::NEEDS_WORK},
      {say::Verdict::rejected, schema::Verdict::REJECTED}};
  for (const auto& [said, recorded] : verdicts) {
    const auto report = report_of(say::TaskCompleted{3.5, 4, 5, said});
    const auto* fact = report.AsTaskCompleted();
    ASSERT_NE(fact, nullptr);
    EXPECT_DOUBLE_EQ(fact->elapsed_seconds, 3.5);
    EXPECT_EQ(fact->findings_count, 4u);
    EXPECT_EQ(fact->recommendations_count, 5u);
    EXPECT_EQ(fact->status, recorded);
  }
}

TEST(PublisherReports, TaskQueued) {
  const auto report = report_of(say::TaskQueued{"web", "Build", "full", 3, {"a", "b"}, 60});
  const auto* fact = report.AsTaskQueued();
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->project, "web");
  EXPECT_EQ(fact->description, "Build");
  EXPECT_EQ(fact->reason, "full");
  EXPECT_EQ(fact->queue_position, 3u);
  EXPECT_THAT(fact->queue_ahead, ElementsAre("a", "b"));
  EXPECT_DOUBLE_EQ(fact->estimated_wait_seconds, 60);
}

TEST(PublisherReports, Warning) {
  const auto report = report_of(say::Warning{"DURATION_EXCEEDED", "slow", 1, 2, "link", 9, 50, "wait"});
  const auto* fact = report.AsWarningReported();
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->warning_type, "DURATION_EXCEEDED");
  EXPECT_EQ(fact->message, "slow");
  EXPECT_EQ(fact->current_step, 1u);
  EXPECT_EQ(fact->total_steps, 2u);
  EXPECT_EQ(fact->current_step_name, "link");
  EXPECT_DOUBLE_EQ(fact->elapsed_seconds, 9);
  EXPECT_DOUBLE_EQ(fact->progress_percent, 50);
  EXPECT_EQ(fact->recommendation, "wait");
}

TEST(PublisherReports, TaskFailed) {
  const auto report = report_of(say::TaskFailed{"no disk", 7, 2, true});
  const auto* fact = report.AsTaskFailed();
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->error, "no disk");
  EXPECT_DOUBLE_EQ(fact->elapsed_seconds, 7);
  EXPECT_EQ(fact->retry_count, 2u);
  EXPECT_TRUE(fact->retriable);
}

TEST(PublisherReports, SystemAlert) {
  const auto report =
      report_of(say::SystemAlert{"RESOURCE_WARNING", "memory", "add some", say::Severity::critical});
  const auto* fact = report.AsSystemAlertReported();
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->alert_type, "RESOURCE_WARNING");
  EXPECT_EQ(fact->message, "memory");
  EXPECT_EQ(fact->recommendation, "add some");
  EXPECT_EQ(fact->severity, schema::Severity::critical);
}

}  // namespace
}  // namespace luzia
