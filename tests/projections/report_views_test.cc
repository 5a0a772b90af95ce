// Report views: jobs, activity, totals, durations.
#include "projections/activity.h"
#include "projections/durations.h"
#include "projections/jobs.h"
#include "projections/told_row.h"
#include "projections/totals.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

class ReportViews : public ViewsTest {
 protected:
  view::JobT job(const std::string& id) {
    auto row = find_job_row(rows(), id);
    EXPECT_TRUE(row) << id;
    return row ? std::move(*row) : view::JobT{};
  }
  std::vector<std::string> activity() {
    std::vector<std::string> told;
    visit_activity(rows(), ~std::uint64_t{0}, [&](std::uint64_t, const view::Activity& row) {
      told.push_back(row.type()->str());
      return true;
    });
    return told;
  }
  void run_to_end(const std::string& id, int exit_code, TimeUs wall = 4 * kSecondUs) {
    writer_.write(2 * kSecondUs, starting(id));
    writer_.write(kSecondUs, started(id));
    writer_.now += wall;
    const TimeUs at = writer_.now;
    writer_.write(10 * kSecondUs, attempt_ended(id, exit_code, at, wall));
    writer_.write(0, ended(id, exit_code == 0 ? schema::JobState::completed : schema::JobState::failed));
  }
};

using JobsView = ReportViews;

TEST_F(JobsView, EndTimeComesFromLuziaRun) {
  writer_.write(0, queued("k1", "alpha"));
  run_to_end("k1", 2);
  const view::JobT row = job("k1");
  EXPECT_EQ(row.state, schema::JobState::failed);
  EXPECT_EQ(row.exit_code, 2);
  EXPECT_EQ(row.ended_us - row.started_us, 4 * kSecondUs);
  EXPECT_EQ(row.first_started_us - row.queued_us, 3 * kSecondUs);
  EXPECT_EQ(row.pid, 0U);
}

TEST_F(JobsView, ExitBeforeStartRecordKeepsTheMeasuredDuration) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(kSecondUs, starting("k1"));
  writer_.write(kSecondUs, started("k1"));
  const TimeUs end = writer_.now - kMillisecondUs;
  writer_.write(0, attempt_ended("k1", 0, end, 3 * kMillisecondUs));
  writer_.write(0, ended("k1", schema::JobState::completed));
  const view::JobT row = job("k1");
  EXPECT_EQ(row.ended_us, end);
  EXPECT_EQ(row.started_us, end - 3 * kMillisecondUs);
  EXPECT_EQ(row.first_started_us, row.started_us);
}

TEST_F(JobsView, TimesStayInOrderWhenTheClockIsSetBack) {
  writer_.write(0, queued("k1", "alpha"));
  const TimeUs queued_at = writer_.now;
  writer_.write(kSecondUs, starting("k1"));
  writer_.write(kSecondUs, started("k1"));
  writer_.write(0, attempt_ended("k1", 0, queued_at - kHourUs, kMinuteUs));
  const view::JobT row = job("k1");
  EXPECT_EQ(row.started_us, queued_at);
  EXPECT_EQ(row.ended_us, queued_at);
}

TEST_F(JobsView, RetryResetsTheAttemptNotTheJob) {
  NewEvent event = queued("k1", "alpha");
  event.payload.AsJobEvent()->fact.AsJobQueued()->spec->tags = {"nightly"};
  writer_.write(0, std::move(event));
  writer_.write(1, starting("k1"));
  writer_.write(1, started("k1"));
  const TimeUs first_start = writer_.now;
  writer_.write(1, warning("k1", "slow"));
  schema::ProgressReportedT progress;
  progress.progress_percent = 80.0;
  writer_.write(1, job_event("k1", std::move(progress)));
  schema::TaskCompletedT verdict;
  verdict.status = schema::Verdict::REJECTED;
  writer_.write(1, job_event("k1", verdict));
  writer_.write(1, attempt_ended("k1", 1, writer_.now));
  writer_.write(1, ended("k1", schema::JobState::failed));
  ASSERT_EQ(job("k1").warnings, 1U);
  ASSERT_EQ(job("k1").verdict, schema::Verdict::REJECTED);

  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(kSecondUs, job_event("k1", std::move(retry)));
  const view::JobT row = job("k1");
  EXPECT_EQ(row.state, schema::JobState::queued);
  EXPECT_EQ(row.attempt, 2U);
  EXPECT_EQ(row.attempts, 1U);
  EXPECT_EQ(row.exit_code, flatbuffers::nullopt);
  EXPECT_EQ(row.ended_us, 0);
  EXPECT_EQ(row.started_us, 0);
  EXPECT_EQ(row.first_started_us, first_start);
  EXPECT_EQ(row.warnings, 0U);
  EXPECT_EQ(row.progress, nullptr);
  EXPECT_EQ(row.verdict, schema::Verdict::none);
  EXPECT_EQ(row.tags, std::vector<std::string>{"nightly"});
}

TEST_F(JobsView, AJobThatNeverRanHasAStateOfItsOwn) {
  using schema::EndReason;
  for (const char* id : {"k1", "k2", "k3"}) writer_.write(0, queued(id, "alpha"));
  writer_.write(1, ended("k1", schema::JobState::failed, EndReason::dependency_failed, 0));
  writer_.write(1, ended("k2", schema::JobState::killed, EndReason::cancelled_before_start, 0));
  // One that ran, and whose retry was taken off the queue.
  run_to_end("k3", 2);
  schema::JobRetriedT again;
  again.attempt = 2;
  writer_.write(1, job_event("k3", std::move(again)));
  writer_.write(1, ended("k3", schema::JobState::killed, EndReason::cancelled_before_start, 1));
  EXPECT_EQ(job("k1").state, schema::JobState::skipped);
  EXPECT_EQ(job("k2").state, schema::JobState::cancelled);
  EXPECT_EQ(job("k3").state, schema::JobState::killed);
}

TEST_F(JobsView, MessagesStayWithWhenTheyWereRead) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(1, starting("k1"));
  writer_.write(1, started("k1"));
  for (std::size_t i = 1; i <= kMostToldInRow + 2; ++i) {
    schema::JobToldT told;
    told.message = "m-" + std::to_string(i);
    told.text = std::make_unique<schema::BlobRefT>(blob_ref({0, std::string(16, 's'), "look"}));
    told.files = {"a.cc"};
    told.channel = "web";
    writer_.write(1, job_event("k1", std::move(told)));
  }
  EXPECT_EQ(job("k1").told_unread, kMostToldInRow + 2);
  schema::JobToldReadT read;
  read.messages = {"m-1", "m-3"};
  read.attempt = 1;
  read.how = schema::ToldHow::hook;
  writer_.write(kSecondUs, job_event("k1", std::move(read)));
  const view::JobT row = job("k1");
  EXPECT_EQ(row.told_unread, kMostToldInRow);
  EXPECT_EQ(row.told_omitted, 2U);
  ASSERT_EQ(row.told.size(), kMostToldInRow);
  EXPECT_EQ(row.told[0]->id, "m-3");
  EXPECT_EQ(row.told[0]->read_us, writer_.now);
  EXPECT_EQ(row.told[0]->attempt, 1U);
  EXPECT_EQ(row.told[0]->how, schema::ToldHow::hook);
  EXPECT_EQ(row.told[0]->files, std::vector<std::string>{"a.cc"});
  EXPECT_EQ(row.told[0]->text_ref->size, 4U);
  EXPECT_EQ(row.told[1]->read_us, 0);
  EXPECT_LT(row.told[0]->told_us, row.told[1]->told_us);
}

TEST_F(JobsView, CancelNoteStaysUntilTheNextAttempt) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(1, starting("k1"));
  writer_.write(1, started("k1"));
  schema::StopRequestedT stop;
  stop.attempt = 1;
  stop.note = "wrong branch";
  writer_.write(1, job_event("k1", std::move(stop)));
  schema::JobEndedT end;
  end.state = schema::JobState::killed;
  end.reason = schema::EndReason::cancelled;
  writer_.write(1, job_event("k1", std::move(end)));
  EXPECT_EQ(job("k1").reason_detail, "wrong branch");
  schema::JobRetriedT again;
  again.attempt = 2;
  writer_.write(1, job_event("k1", std::move(again)));
  EXPECT_EQ(job("k1").reason_detail, "");
}

TEST_F(JobsView, LastLineStaysUntilTheNextAttempt) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(1, starting("k1"));
  writer_.write(1, started("k1"));
  NewEvent end = attempt_ended("k1", 1, writer_.now);
  end.payload.AsJobEvent()->fact.AsAttemptEnded()->last_line = "no such file";
  writer_.write(1, std::move(end));
  writer_.write(1, ended("k1", schema::JobState::failed));
  EXPECT_EQ(job("k1").last_line, "no such file");
  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(kSecondUs, job_event("k1", std::move(retry)));
  EXPECT_EQ(job("k1").last_line, "");
}

TEST_F(JobsView, WaitingForAPersonIsSummedUp) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(1, starting("k1"));
  writer_.write(1, started("k1"));
  schema::JobWaitingT waiting;
  waiting.open = 1;
  writer_.write(kSecondUs, job_event("k1", waiting));
  EXPECT_EQ(job("k1").state, schema::JobState::waiting);
  writer_.write(5 * kSecondUs, job_event("k1", schema::JobContinuedT{}));
  EXPECT_EQ(job("k1").state, schema::JobState::running);
  writer_.write(kSecondUs, job_event("k1", waiting));
  writer_.write(2 * kSecondUs, ended("k1", schema::JobState::failed, schema::EndReason::question_unanswered));
  const view::JobT row = job("k1");
  EXPECT_EQ(row.human_wait_us, 7 * kSecondUs);
  EXPECT_EQ(row.waiting_since_us, 0);
  const auto waits = find_durations(rows(), "human_wait", "alpha", "shell");
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->count, 2U);
  EXPECT_EQ(waits->sum_ms, 7000U);
  EXPECT_EQ(waits->max_ms, 5000U);
  EXPECT_EQ(row.ended_us, writer_.now);
}

TEST_F(JobsView, OutputAndAnnotationsAreCounted) {
  writer_.write(0, queued("k1", "alpha"));
  schema::OutputAppendedT appended;
  appended.to = 100;
  appended.lines = 4;
  writer_.write(1, job_event("k1", std::move(appended)));
  for (const auto severity : {schema::Severity::info, schema::Severity::warning, schema::Severity::error}) {
    schema::AnnotationFoundT found;
    found.severity = severity;
    found.message = schema::EnumNameSeverity(severity);
    writer_.write(1, job_event("k1", std::move(found)));
  }
  const view::JobT row = job("k1");
  EXPECT_EQ(row.output_bytes, 100U);
  EXPECT_EQ(row.output_lines, 4U);
  EXPECT_EQ(row.warnings, 1U);
  EXPECT_EQ(row.errors, 1U);
  EXPECT_EQ(row.last_warning, "error");
}

TEST_F(JobsView, PercentageAloneKeepsTheSteps) {
  writer_.write(0, queued("k1", "alpha"));
  schema::ProgressReportedT steps;
  steps.current_step = 2;
  steps.total_steps = 5;
  steps.current_step_name = "tests";
  writer_.write(1, job_event("k1", std::move(steps)));
  schema::ProgressReportedT percent;
  percent.progress_percent = 55.0;
  writer_.write(1, job_event("k1", std::move(percent)));
  const view::JobT row = job("k1");
  ASSERT_TRUE(row.progress);
  EXPECT_EQ(row.progress->percent, 55.0);
  EXPECT_EQ(row.progress->current_step, 2U);
  EXPECT_EQ(row.progress->step_name, "tests");
}

TEST_F(JobsView, UsageSumsByScope) {
  const auto usage = [&](schema::UsageScope scope, std::uint64_t input, double cost,
                         const std::string& session = "") {
    schema::UsageReportedT fact;
    fact.scope = fact.cost_scope = scope;
    fact.session_id = session;
    fact.input_tokens = input;
    fact.cost_usd = cost;
    schema::UsageEventT domain;
    domain.fact.Set(std::move(fact));
    NewEvent event;
    event.stream = "job/k1";
    event.payload.Set(std::move(domain));
    writer_.write(1, std::move(event));
    const view::JobT row = job("k1");
    return std::pair(row.tokens->input, *row.cost_usd);
  };
  using schema::UsageScope;
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(1, starting("k1"));
  EXPECT_EQ(usage(UsageScope::turn, 10, 1), std::pair(std::uint64_t{10}, 1.0));
  EXPECT_EQ(usage(UsageScope::turn, 5, 1), std::pair(std::uint64_t{15}, 2.0));
  EXPECT_EQ(usage(UsageScope::attempt_total, 20, 3), std::pair(std::uint64_t{20}, 3.0));
  writer_.write(1, ended("k1", schema::JobState::failed));
  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(1, job_event("k1", std::move(retry)));
  writer_.write(1, starting("k1", 2));
  EXPECT_EQ(usage(UsageScope::attempt_total, 7, 1), std::pair(std::uint64_t{27}, 4.0));
  EXPECT_EQ(usage(UsageScope::attempt_total, 9, 2), std::pair(std::uint64_t{29}, 5.0));
  EXPECT_EQ(usage(UsageScope::session_total, 40, 6, "s1"), std::pair(std::uint64_t{69}, 11.0));
  EXPECT_EQ(usage(UsageScope::session_total, 50, 6.5, "s1"), std::pair(std::uint64_t{79}, 11.5));
  EXPECT_EQ(usage(UsageScope::session_total, 45, 6.25, "s1"), std::pair(std::uint64_t{79}, 11.5));
}

using ActivityView = ReportViews;

TEST_F(ActivityView, ShowsMilestonesNotProgress) {
  writer_.write(0, queued("k1", "alpha"));
  schema::OutputAppendedT appended;
  appended.to = 10;
  writer_.write(1, job_event("k1", std::move(appended)));
  run_to_end("k1", 2);
  EXPECT_THAT(activity(), testing::ElementsAre("JobEnded", "AttemptStarted", "JobQueued"));
  visit_activity(rows(), ~std::uint64_t{0}, [&](std::uint64_t, const view::Activity& row) {
    EXPECT_EQ(row.severity(), schema::Severity::error);
    EXPECT_EQ(row.project()->str(), "alpha");
    return false;
  });
}

TEST_F(ActivityView, KeepsTheLastThousand) {
  for (int i = 0; i < 1100; ++i) writer_.write(1, queued("k" + std::to_string(i), "alpha"));
  EXPECT_EQ(activity().size(), kActivityRows);
  std::string newest, oldest;
  visit_activity(rows(), ~std::uint64_t{0}, [&](std::uint64_t, const view::Activity& row) {
    if (newest.empty()) newest = row.job()->str();
    oldest = row.job()->str();
    return true;
  });
  EXPECT_EQ(newest, "k1099");
  EXPECT_EQ(oldest, "k100");
}

TEST_F(ActivityView, PagesContinueWithoutGaps) {
  for (int i = 1; i <= 2300; ++i) writer_.write(1, queued("k" + std::to_string(i), "alpha"));
  std::uint64_t before = ~std::uint64_t{0};
  std::uint64_t expected = 2300;
  for (std::uint64_t page = 0; page < 10; ++page) {
    std::uint64_t seen = 0;
    visit_activity(rows(), before, [&](std::uint64_t sequence, const view::Activity& row) {
      EXPECT_EQ(sequence, expected);
      EXPECT_EQ(row.job()->str(), "k" + std::to_string(expected));
      --expected;
      before = sequence;
      return ++seen < 100;
    });
  }
  EXPECT_EQ(expected, 1300U);
  visit_activity(rows(), before, [](std::uint64_t sequence, const view::Activity&) {
    ADD_FAILURE() << sequence << " is not among the last thousand";
    return true;
  });
}

TEST_F(ActivityView, ManyWarningsDoNotDisplaceOtherJobs) {
  writer_.write(0, queued("k1", "alpha"));
  for (int i = 0; i < 1000; ++i) writer_.write(1, warning("k1", "again"));
  const auto told = activity();
  EXPECT_EQ(std::count(told.begin(), told.end(), "WarningReported"), 12);  // 1 to 10, 100, 1000
  EXPECT_EQ(told.back(), "JobQueued");
}

TEST_F(ActivityView, AlertsAndPausesAreIncluded) {
  schema::AlertRaisedT raised;
  raised.severity = schema::Severity::critical;
  raised.alert_type = "memory";
  schema::AlertEventT domain;
  domain.fact.Set(std::move(raised));
  NewEvent event;
  event.stream = "system";
  event.payload.Set(std::move(domain));
  writer_.write(0, std::move(event));
  writer_.write(1, new_event("project/alpha", schema::QueuePausedT{}));
  EXPECT_THAT(activity(), testing::ElementsAre("QueuePaused", "AlertRaised"));
  visit_activity(rows(), ~std::uint64_t{0}, [&](std::uint64_t, const view::Activity& row) {
    EXPECT_EQ(row.project()->str(), "alpha");
    return false;
  });
}

using TotalsView = ReportViews;

TEST_F(TotalsView, RetryUncountsAFailure) {
  writer_.write(0, queued("k1", "alpha"));
  run_to_end("k1", 1);
  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(1, job_event("k1", std::move(retry)));
  const auto row = read_row<view::ProjectTotals>(rows(), kTotalsView, "alpha");
  ASSERT_TRUE(row);
  EXPECT_EQ((*row)->dispatched(), 1U);
  EXPECT_EQ((*row)->failed(), 0U);
  EXPECT_EQ((*row)->queued(), 1U);
  EXPECT_EQ((*row)->retries(), 1U);
  EXPECT_EQ((*row)->busy_us(), 4'000'000U);
  EXPECT_EQ((*row)->last_us(), writer_.now);
}

using DurationsView = ReportViews;

TEST_F(DurationsView, RunAndQueueWaitAreCountedByProjectAndAgent) {
  writer_.write(0, queued("k1", "alpha", "shell"));
  run_to_end("k1", 0, 8 * kMillisecondUs);
  writer_.write(0, queued("k2", "alpha", "shell"));
  run_to_end("k2", 0, 100 * kMillisecondUs);
  writer_.write(0, queued("k3", "alpha", "claude"));
  const auto run = read_row<view::Durations>(rows(), kDurationsView, std::string("run\0alpha\0shell", 15));
  ASSERT_TRUE(run);
  EXPECT_EQ((*run)->count(), 2U);
  EXPECT_EQ((*run)->sum_ms(), 108U);
  EXPECT_EQ((*run)->min_ms(), 8U);
  EXPECT_EQ((*run)->max_ms(), 100U);
  EXPECT_EQ((*run)->buckets()->Get(12), 1U);
  const auto wait =
      read_row<view::Durations>(rows(), kDurationsView, std::string("queue_wait\0alpha\0shell", 22));
  ASSERT_TRUE(wait);
  EXPECT_EQ((*wait)->count(), 2U);
  EXPECT_EQ((*wait)->min_ms(), 3000U);
  EXPECT_FALSE(read_row<view::Durations>(rows(), kDurationsView, std::string("run\0alpha\0claude", 16)));
}

TEST_F(DurationsView, WaitingForPeopleIsNoRunTime) {
  writer_.write(0, queued("k1", "alpha", "shell"));
  writer_.write(0, starting("k1"));
  writer_.write(0, started("k1"));
  schema::JobWaitingT waiting;
  waiting.open = 1;
  writer_.write(kSecondUs, job_event("k1", waiting));
  writer_.write(5 * kSecondUs, job_event("k1", schema::JobContinuedT{}));
  writer_.write(kSecondUs, job_event("k1", waiting));
  const TimeUs at = writer_.now + 2 * kSecondUs;
  writer_.write(2 * kSecondUs, attempt_ended("k1", 0, at, 9 * kSecondUs));
  writer_.write(0, ended("k1", schema::JobState::completed));
  EXPECT_EQ(job("k1").run_us, static_cast<std::uint64_t>(2 * kSecondUs));
  EXPECT_EQ(job("k1").human_wait_us, 7 * kSecondUs);
  const auto run = find_durations(rows(), "run", "alpha", "shell");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->count, 1U);
  EXPECT_EQ(run->sum_ms, 2000U);
  const auto totals = read_row<view::ProjectTotals>(rows(), kTotalsView, "alpha");
  ASSERT_TRUE(totals);
  EXPECT_EQ((*totals)->busy_us(), 2'000'000U);
}

TEST_F(DurationsView, PauseTimeIsNoRunTime) {
  writer_.write(0, queued("k1", "alpha", "shell"));
  writer_.write(0, starting("k1"));
  writer_.write(0, started("k1"));
  writer_.write(kSecondUs, job_event("k1", schema::JobPausedT{}));
  EXPECT_EQ(job("k1").paused_since_us, writer_.now);
  writer_.write(5 * kSecondUs, job_event("k1", schema::JobResumedT{}));
  EXPECT_EQ(job("k1").paused_since_us, 0);
  writer_.write(kSecondUs, job_event("k1", schema::JobPausedT{}));
  schema::JobWaitingT waiting;
  waiting.open = 1;
  writer_.write(3 * kSecondUs, job_event("k1", waiting));
  writer_.write(4 * kSecondUs, job_event("k1", schema::JobContinuedT{}));
  const TimeUs at = writer_.now + 2 * kSecondUs;
  writer_.write(6 * kSecondUs, attempt_ended("k1", 0, at, 16 * kSecondUs));
  writer_.write(0, ended("k1", schema::JobState::completed));
  EXPECT_EQ(job("k1").run_us, static_cast<std::uint64_t>(2 * kSecondUs));
  const auto run = find_durations(rows(), "run", "alpha", "shell");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->count, 1U);
  EXPECT_EQ(run->sum_ms, 2000U);
}

TEST_F(DurationsView, UnstartedJobsDoNotCount) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(1, starting("k1"));
  schema::AttemptEndedT failed;
  failed.attempt = 1;
  failed.start_error = "no such file";
  writer_.write(1, job_event("k1", std::move(failed)));
  schema::AttemptEndedT lost;
  lost.attempt = 1;
  lost.evidence_lost = true;
  writer_.write(1, job_event("k1", std::move(lost)));
  EXPECT_FALSE(read_row<view::Durations>(rows(), kDurationsView, std::string("run\0alpha\0shell", 15)));
}

}  // namespace
}  // namespace luzia::test
