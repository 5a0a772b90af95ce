#include "tools/luzia/agents/publish.h"

#include "tests/matchers.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

Result<wire::PublishT> request(const std::vector<std::string>& words, const std::string& own_job = {},
                               const std::string& own_attempt = {}) {
  const auto arguments = Arguments::parse(kLuzia, kPublishCommand, words, 0);
  if (!arguments) {
    return tl::unexpected(arguments.error());
  }
  return publish_request(*arguments, own_job, own_attempt);
}

TEST(Publish, ProgressCarriesItsFields) {
  const auto made = request({"progress", "JOB", "--progress-percent", "40", "--current-step", "2",
                             "--total-steps", "5", "--current-step-name", "Run tests"});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->job, "JOB");
  const auto* progress = made->report.AsProgressReported();
  ASSERT_NE(progress, nullptr);
  EXPECT_DOUBLE_EQ(progress->progress_percent.value(), 40);
  EXPECT_EQ(progress->current_step, 2u);
  EXPECT_EQ(progress->total_steps, 5u);
  EXPECT_EQ(progress->current_step_name, "Run tests");
  EXPECT_FALSE(progress->estimated_remaining_seconds.has_value()) << "omitted is not zero";
}

TEST(Publish, AllSevenKindsAreKnown) {
  using schema::ReportFact;
  const std::vector<std::pair<std::string, ReportFact>> kinds = {
      {"task_started", ReportFact::TaskStarted},         {"progress", ReportFact::ProgressReported},
      {"task_completed", ReportFact::TaskCompleted},     {"task_queued", ReportFact::TaskQueued},
      {"warning", ReportFact::WarningReported},          {"task_failed", ReportFact::TaskFailed},
      {"system_alert", ReportFact::SystemAlertReported}, {"task-failed", ReportFact::TaskFailed}};
  for (const auto& [kind, fact] : kinds) {
    const auto made = request({kind, "JOB"});
    ASSERT_TRUE(made.has_value()) << kind;
    EXPECT_EQ(made->report.type, fact) << kind;
  }
  EXPECT_EQ(request({"progres", "JOB"}).error().code, "bad_kind");
}

TEST(Publish, TaskIdNamesATaskOnlyOutsideOfAJob) {
  const auto outside = request({"progress", "--task-id", "nightly", "--project", "web"});
  ASSERT_TRUE(outside.has_value()) << outside.error().message;
  EXPECT_EQ(outside->task_id, "nightly");
  EXPECT_EQ(outside->project, "web");
  EXPECT_EQ(outside->job, "");
  const auto inside = request({"progress", "--task-id", "nightly"}, "OWN", "3");
  ASSERT_TRUE(inside.has_value()) << inside.error().message;
  EXPECT_EQ(inside->job, "OWN");
  EXPECT_EQ(inside->task_id, "");
  EXPECT_THAT(request({"task_started", "--task-id", "nightly"}).error().message,
              HasSubstr("no project given"));
  EXPECT_EQ(request({"progress", "JOB", "--task-id", "nightly"}).error().code, "bad_usage");
  EXPECT_EQ(request({"progress", "JOB", "--project", "web"}).error().code, "bad_usage");
}

TEST(Publish, JobAndAttemptComeFromTheEnvironment) {
  const auto own = request({"progress"}, "OWN", "3");
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->job, "OWN");
  EXPECT_EQ(own->attempt, 3u);
  EXPECT_EQ(request({"progress", "OTHER"}, "OWN", "3")->attempt, 0u) << "another job's present attempt";
  EXPECT_THAT(request({"progress"}).error().message, HasSubstr("no job given"));
}

TEST(Publish, InvalidAttemptVariableIsAnError) {
  for (const char* attempt : {"two", "3x", "-1", " 3"}) {
    const auto made = request({"progress"}, "OWN", attempt);
    ASSERT_FALSE(made.has_value()) << attempt;
    EXPECT_EQ(made.error().code, "bad_value");
    EXPECT_EQ(made.error().message,
              "$LUZIA_ATTEMPT: '" + std::string(attempt) + "' is not a whole number from 0");
  }
  EXPECT_EQ(request({"progress", "--attempt", "2"}, "OWN", "two")->attempt, 2u);
  EXPECT_EQ(request({"progress"}, "OWN", "")->attempt, 0u);
}

TEST(Publish, FieldOfAnotherKindIsRefused) {
  EXPECT_THAT(request({"task_failed", "J", "--progress-percent", "1"}).error().message,
              HasSubstr("--progress-percent"));
  EXPECT_FALSE(request({"progress", "J", "--severity", "critical"}).has_value());
  EXPECT_TRUE(request({"warning", "J", "--progress-percent", "1", "--message", "m"}).has_value());
}

TEST(Publish, ValuesAreChecked) {
  EXPECT_FALSE(request({"progress", "J", "--progress-percent", "101"}).has_value());
  EXPECT_FALSE(request({"task_completed", "J", "--status", "FINE"}).has_value());
  EXPECT_EQ(request({"task_completed", "J", "--status", "NEEDS_WORK"})->report.AsTaskCompleted()->status,
            schema::Verdict::NEEDS_WORK);
}

}  // namespace
}  // namespace luzia
