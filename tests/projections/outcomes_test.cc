// Outcomes of jobs by day: each job counts once, with its present state.
#include "projections/outcomes.h"

#include "projections/durations.h"
#include "projections/rows/outcome_rows.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using schema::EndReason;
using schema::JobState;

class Outcomes : public ViewsTest {
 protected:
  Outcomes() { writer_.now = kEpoch + 12 * kHourUs; }

  /// Queues a job, starts it a minute later, and ends it after `took`.
  void run(const std::string& id, int exit_code, TimeUs took, const std::string& project = "alpha") {
    writer_.write(0, queued(id, project, "claude"));
    go(id, exit_code, took, 1);
  }
  void go(const std::string& id, int exit_code, TimeUs took, std::uint32_t attempt) {
    writer_.write(kMinuteUs, starting(id, attempt));
    writer_.write(0, started(id, attempt));
    writer_.write(took, attempt_ended(id, exit_code, writer_.now + took, took, attempt));
    writer_.write(
        0, ended(id, exit_code == 0 ? JobState::completed : JobState::failed, EndReason::exit_code, attempt));
  }
  void retry(const std::string& id, std::uint32_t attempt) {
    schema::JobRetriedT fact;
    fact.attempt = attempt;
    writer_.write(0, job_event(id, std::move(fact)));
  }
  void use(const std::string& id, std::uint64_t output, double cost) {
    schema::UsageReportedT usage;
    usage.attempt = 1;
    usage.output_tokens = output;
    usage.cost_usd = cost;
    writer_.write(0, job_event(id, std::move(usage)));
  }

  const std::vector<const view::OutcomeDay*>& days(wire::FilterT filter = {}) {
    wire::QueryT query;
    query.view = wire::View::outcomes;
    query.filter = std::make_unique<wire::FilterT>(std::move(filter));
    auto page = run_query(rows(), {log_, {}, {}, {}}, query);
    EXPECT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->type, wire::RowType::outcome_day);
    page_ = std::move(page->rows);
    days_.clear();
    for (const std::string& row : page_) days_.push_back(flatbuffers::GetRoot<view::OutcomeDay>(row.data()));
    return days_;
  }
  /// Lines like "key completed/failed/killed first_try+retries".
  std::vector<std::string> told(OutcomesBy by, wire::FilterT filter = {}) {
    std::vector<std::string> lines;
    for (const OutcomeStatistic& row : outcome_statistics(days(std::move(filter)), by)) {
      lines.push_back(row.key + " " + std::to_string(row.completed) + "/" + std::to_string(row.failed) + "/" +
                      std::to_string(row.killed) + " " + std::to_string(row.first_try) + "+" +
                      std::to_string(row.retries));
    }
    return lines;
  }

  std::vector<std::string> page_;
  std::vector<const view::OutcomeDay*> days_;
};

TEST_F(Outcomes, JobCountsOnTheDayOfItsEnd) {
  run("k1", 0, 13 * kHourUs);
  run("k2", 3, kSecondUs);
  EXPECT_THAT(told(OutcomesBy::day), ElementsAre("2026-01-02 1/1/0 1+0"));
  const OutcomeStatistic day = outcome_statistics(days(), OutcomesBy::agent).front();
  EXPECT_EQ(day.key, "claude");
  EXPECT_EQ(day.started, 2U);
  EXPECT_EQ(day.run_sum_us, static_cast<std::uint64_t>(13 * kHourUs + kSecondUs));
  EXPECT_EQ(day.wait_sum_us, static_cast<std::uint64_t>(2 * kMinuteUs));
  EXPECT_EQ(day.success_rate(), 0.5);
}

TEST_F(Outcomes, TableForPeopleAndDataCountTheSame) {
  OutcomeStatistic day;
  day.key = "claude";
  day.failed = 1;
  day.timed_out = 2;
  day.lost = 4;
  const Table people = outcome_statistics_table({day}, OutcomesBy::agent);
  const Table data = outcome_statistics_table({day}, OutcomesBy::agent, Form::data);
  for (const auto& [title, field] :
       {std::pair("FAILED", "failed"), {"TIMED OUT", "timed_out"}, {"LOST", "lost"}, {"JOBS", "jobs"}}) {
    EXPECT_EQ(people.column(title), data.column(field)) << title;
  }
}

TEST_F(Outcomes, RetriedJobIsUncountedUntilItsNextEnd) {
  run("k1", 1, kSecondUs);
  EXPECT_THAT(told(OutcomesBy::project), ElementsAre("alpha 0/1/0 0+0"));
  retry("k1", 2);
  EXPECT_THAT(days(), IsEmpty()) << "a day without jobs has no row";
  go("k1", 0, kSecondUs, 2);
  EXPECT_THAT(told(OutcomesBy::project), ElementsAre("alpha 1/0/0 0+1"));
  const auto reasons = reason_statistics(days());
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].key, "completed");
}

TEST_F(Outcomes, UncountingOneLeavesTheOthers) {
  run("k1", 1, kSecondUs);
  use("k1", 100, 0.5);
  run("k2", 1, 8 * kSecondUs);
  use("k2", 10, 0.25);
  retry("k1", 2);
  const OutcomeStatistic left = outcome_statistics(days(), OutcomesBy::project).front();
  EXPECT_EQ(left.failed, 1U);
  EXPECT_EQ(left.run_sum_us, static_cast<std::uint64_t>(8 * kSecondUs));
  EXPECT_EQ(left.tokens.output, 10U);
  EXPECT_DOUBLE_EQ(left.cost_usd, 0.25);
}

TEST_F(Outcomes, RunTimeSumsTheAttempts) {
  run("k1", 1, kSecondUs);
  writer_.now += kHourUs;
  retry("k1", 2);
  go("k1", 0, 2 * kSecondUs, 2);
  const OutcomeStatistic day = outcome_statistics(days(), OutcomesBy::project).front();
  EXPECT_EQ(day.run_sum_us, static_cast<std::uint64_t>(3 * kSecondUs));
  const auto run = find_durations(*store_.snapshot(), "run", "alpha", "claude");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->sum_ms, 3000U);
}

TEST_F(Outcomes, ReportsAfterTheEndCount) {
  run("k1", 0, kSecondUs);
  use("k1", 7, 0.125);
  const OutcomeStatistic day = outcome_statistics(days(), OutcomesBy::project).front();
  EXPECT_EQ(day.jobs(), 1U);
  EXPECT_EQ(day.tokens.output, 7U);
  EXPECT_DOUBLE_EQ(day.cost_usd, 0.125);
}

TEST_F(Outcomes, UnstartedJobsHaveNoDurations) {
  writer_.write(0, queued("k1", "alpha"));
  writer_.write(kSecondUs, ended("k1", JobState::killed, EndReason::cancelled_before_start, 0));
  const OutcomeStatistic day = outcome_statistics(days(), OutcomesBy::project).front();
  EXPECT_EQ(day.cancelled, 1U);
  EXPECT_EQ(day.without_result(), 1U);
  EXPECT_EQ(day.started, 0U);
  EXPECT_FALSE(day.success_rate());
  EXPECT_FALSE(day.mean_run_ms());
  EXPECT_EQ(outcome_statistic_json(day),
            R"({"key":"alpha","jobs":1,"completed":0,"failed":0,"killed":0,"timed_out":0,"lost":0,)"
            R"("success_rate":null,"first_try":0,"retries":0,)"
            R"("run":{"mean_ms":null,"p50_ms":null,"p95_ms":null},)"
            R"("queue_wait":{"mean_ms":null,"p50_ms":null,"p95_ms":null},"human_wait_seconds":0,)"
            R"("tokens":{"input":0,"output":0,"cache_read":0,"cache_write":0},"cost_usd":0,"issues":0,)"
            R"("warnings":0,"skipped":0,"cancelled":1})");
}

TEST_F(Outcomes, SkippedJobsAreNoFailures) {
  run("k1", 0, kSecondUs);
  writer_.write(0, queued("k2", "alpha"));
  writer_.write(0, ended("k2", JobState::failed, EndReason::dependency_failed, 0));
  const OutcomeStatistic day = outcome_statistics(days(), OutcomesBy::project).front();
  EXPECT_EQ(day.jobs(), 2U);
  EXPECT_EQ(day.skipped, 1U);
  EXPECT_EQ(day.failed, 0U);
  EXPECT_EQ(day.success_rate(), 1.0);
  // Taken back by a retry, as other ends are.
  schema::JobRetriedT retried;
  retried.attempt = 1;
  writer_.write(0, job_event("k2", std::move(retried)));
  EXPECT_EQ(outcome_statistics(days(), OutcomesBy::project).front().skipped, 0U);
}

TEST_F(Outcomes, EndReasonsAreSharesOfAllJobs) {
  run("k1", 0, kSecondUs);
  run("k2", 0, kSecondUs);
  run("k3", 4, kSecondUs);
  writer_.write(0, queued("k4", "alpha"));
  writer_.write(0, ended("k4", JobState::killed, EndReason::cancelled_before_start));
  std::vector<std::string> lines;
  for (const ReasonStatistic& row : reason_statistics(days())) lines.push_back(reason_statistic_json(row));
  EXPECT_THAT(lines, ElementsAre(R"({"key":"completed","jobs":2,"share":0.5})",
                                 R"({"key":"cancelled_before_start","jobs":1,"share":0.25})",
                                 R"({"key":"exit_code","jobs":1,"share":0.25})"));
}

TEST_F(Outcomes, AreFilteredByProjectAndDay) {
  run("k1", 0, kSecondUs, "alpha");
  writer_.now += 3 * kDayUs;
  run("k2", 0, kSecondUs, "beta");
  wire::FilterT beta;
  beta.projects = {"beta"};
  EXPECT_THAT(told(OutcomesBy::project, beta), ElementsAre("beta 1/0/0 1+0"));
  wire::FilterT before;
  before.until_us = kEpoch + kDayUs;
  EXPECT_THAT(told(OutcomesBy::day, before), ElementsAre("2026-01-01 1/0/0 1+0"));
}

}  // namespace
}  // namespace luzia::test
