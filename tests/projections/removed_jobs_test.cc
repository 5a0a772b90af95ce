// Removed jobs: they are in no list but are found by name. After a purge none of their texts is left.
#include <tuple>

#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "projections/past_views.h"
#include "projections/rows/attention.h"
#include "projections/totals.h"
#include "tests/projections/input_events.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kSecret = "hunter2";

std::string job_named(char last) {
  return std::string("k00000000000") + last;
}

NewEvent job_removed(const std::string& job, bool purged) {
  schema::JobRemovedT fact;
  fact.files = true;
  fact.purged = purged;
  return job_event(job, std::move(fact));
}

class RemovedJobs : public ViewsTest {
 protected:
  Result<RowPage> ask(wire::View view, Names jobs = {}, Position at = 0, bool of_web = false) {
    wire::QueryT query;
    query.view = view;
    query.at_position = at;
    query.filter = std::make_unique<wire::FilterT>();
    query.filter->jobs = std::move(jobs);
    if (of_web) query.filter->projects = {"web"};
    return run_query(rows(), QuerySources{log_, {}, {}}, query);
  }
  Names jobs_of(const Result<RowPage>& page) {
    Names ids;
    for (const std::string& row : page->rows) {
      ids.push_back(flatbuffers::GetRoot<view::Job>(row.data())->id()->str());
    }
    return ids;
  }
  std::size_t count(wire::View view) {
    const auto page = ask(view);
    EXPECT_TRUE(page) << page.error().message;
    return page ? page->rows.size() : 0;
  }
  void run(const std::string& job) {
    NewEvent first = queued(job, "web", "claude", std::string("say ") + kSecret);
    auto other = std::make_unique<schema::JobSpecT>();
    other->agent = "codex";
    other->tags = {kSecret};
    first.payload.AsJobEvent()->fact.AsJobQueued()->spec->fallbacks.push_back(std::move(other));
    writer_.write(kSecondUs, std::move(first));
    writer_.write(kSecondUs, starting(job));
    writer_.write(kSecondUs, started(job));
  }
  void end(const std::string& job) {
    schema::AttemptEndedT attempt;
    attempt.attempt = 1;
    attempt.exit_code = 1;
    attempt.ended_us = writer_.now;
    attempt.wall_us = static_cast<std::uint64_t>(kSecondUs);
    attempt.last_line = kSecret;
    writer_.write(kSecondUs, job_event(job, std::move(attempt)));
    schema::JobEndedT end;
    end.state = schema::JobState::failed;
    end.reason = schema::EndReason::agent_failed;
    end.detail = kSecret;
    end.attempt = 1;
    writer_.write(0, job_event(job, std::move(end)));
  }
  /// Puts the secret into every kind of row that stores text.
  void talk(const std::string& job) {
    writer_.write(0, warning(job, kSecret));
    schema::JobToldT told;
    told.message = "m-1";
    told.text = std::make_unique<schema::BlobRefT>(blob_ref({0, std::string(16, 's'), kSecret}));
    told.files = {kSecret};
    writer_.write(0, job_event(job, std::move(told)));
    schema::TaskStartedT begun;
    begun.description = kSecret;
    writer_.write(0, job_event(job, std::move(begun)));
    schema::SystemAlertReportedT alert;
    alert.message = alert.recommendation = kSecret;
    writer_.write(0, job_event(job, std::move(alert)));
    schema::TodoReportedT todo;
    todo.whole = true;
    todo.items.push_back(std::make_unique<schema::TodoItemT>());
    todo.items.front()->text = kSecret;
    todo.items.front()->status = schema::TodoStatus::in_progress;
    writer_.write(0, job_event(job, std::move(todo)));
    schema::AgentConcludedT concluded;
    concluded.attempt = 1;
    concluded.outcome = schema::AgentOutcome::failed;
    concluded.text = kSecret;
    writer_.write(0, job_event(job, std::move(concluded)));
    schema::SessionIdentifiedT session;
    session.session_id = kSecret;
    writer_.write(0, job_event(job, std::move(session)));
    schema::LimitReachedT limit;
    limit.attempt = 1;
    limit.limit = kSecret;
    writer_.write(0, job_event(job, std::move(limit)));
    schema::IssueDetectedT issue;
    issue.attempt = 1;
    issue.pattern = "oops";
    issue.severity = schema::Severity::error;
    issue.fingerprint = "f";
    issue.line = kSecret;
    issue.description = kSecret;
    issue.fix_command = std::string("echo ") + kSecret;
    issue.auto_fixable = true;
    writer_.write(0, job_event(job, std::move(issue)));
    writer_.write(0, asked(job, "q-" + job, "which?", {kSecret, "b"}, kSecret));
    writer_.write(0, answered_by_default(job, "q-" + job));
    writer_.write(0, asked(job, "p-" + job, "and now?", {kSecret}));
    writer_.write(0, question_cancelled(job, "p-" + job, kSecret));
    writer_.write(0, requested(job, "a-" + job, kSecret, "may I?", kSecret, "{}"));
    writer_.write(0, decided(job, "a-" + job, schema::Decision::approved, "", kSecret, true));
  }
  Names rows_with_the_secret() {
    Names keys;
    rows().scan("", "\xff", [&](std::string_view key, std::string_view value) {
      if (value.find(kSecret) != std::string_view::npos || key.find(kSecret) != std::string_view::npos) {
        keys.emplace_back(key.substr(2));
      }
      return true;
    });
    return keys;
  }
};

TEST_F(RemovedJobs, RowsSayWhatIsGoneSinceWhenAndByWhichRule) {
  const auto row = [this] { return *find_job_row(rows(), job_named('1')); };
  run(job_named('1'));
  end(job_named('1'));
  EXPECT_EQ(row().files_gone_us, 0);
  schema::FilesExpiredT output;
  output.rule = "outputs = 30d";
  writer_.write(kSecondUs, job_event(job_named('1'), output));
  EXPECT_EQ(row().files_gone_us, writer_.now);
  EXPECT_EQ(row().files_gone_rule, "outputs = 30d");
  EXPECT_FALSE(row().dir_gone);
  writer_.write(kSecondUs, starting(job_named('1'), 2));
  EXPECT_EQ(row().files_gone_us, 0) << "its next attempt writes an output of its own";

  schema::FilesExpiredT directory;
  directory.files = schema::KeptFiles::directory;
  directory.rule = "size = 50G";
  writer_.write(kSecondUs, job_event(job_named('1'), directory));
  const TimeUs then = writer_.now;
  writer_.write(kSecondUs, job_removed(job_named('1'), false));
  EXPECT_EQ(row().files_gone_us, then) << "there was nothing left to remove";
  EXPECT_EQ(row().files_gone_rule, "size = 50G");
  EXPECT_TRUE(row().dir_gone);
}

TEST_F(RemovedJobs, ARemovalTakesTheDirectoryByRuleOrByPerson) {
  for (const auto& [number, note, rule] : {std::tuple('1', "[keep] jobs = 365d", "jobs = 365d"),
                                           std::tuple('2', "tidy", ""), std::tuple('3', "", "")}) {
    run(job_named(number));
    end(job_named(number));
    schema::JobRemovedT fact;
    fact.files = true;
    fact.note = note;
    writer_.write(kSecondUs, job_event(job_named(number), std::move(fact)));
    const auto row = *find_job_row(rows(), job_named(number));
    EXPECT_TRUE(row.dir_gone);
    EXPECT_EQ(row.files_gone_us, row.removed_us);
    EXPECT_EQ(row.files_gone_rule, rule);
  }
}

TEST_F(RemovedJobs, PurgeLeavesNoTextInAnyRow) {
  run(job_named('1'));
  talk(job_named('1'));
  end(job_named('1'));
  ASSERT_GE(rows_with_the_secret().size(), 6U) << "job, decider's state, questions, approval, issue";
  writer_.write(kSecondUs, job_removed(job_named('1'), true));
  EXPECT_THAT(rows_with_the_secret(), IsEmpty());
}

TEST_F(RemovedJobs, AreUnlistedWithTheirPromptsAndIssues) {
  for (const char each : {'1', '2'}) {
    run(job_named(each));
    talk(job_named(each));
    end(job_named(each));
  }
  EXPECT_EQ(count(wire::View::questions), 4U);
  writer_.write(kSecondUs, job_removed(job_named('2'), false));
  EXPECT_THAT(jobs_of(ask(wire::View::jobs)), ElementsAre(job_named('1')));
  EXPECT_THAT(jobs_of(ask(wire::View::status)), ElementsAre(job_named('1')));
  EXPECT_EQ(count(wire::View::questions), 2U);
  EXPECT_EQ(count(wire::View::approvals), 1U);
  EXPECT_EQ(count(wire::View::issues), 1U);
  const auto activity = ask(wire::View::activity);
  ASSERT_TRUE(activity);
  EXPECT_FALSE(activity->rows.empty());
  for (const std::string& row : activity->rows) {
    EXPECT_EQ(flatbuffers::GetRoot<view::Activity>(row.data())->job()->str(), job_named('1'));
  }
}

TEST_F(RemovedJobs, StayInFilteredHistory) {
  run(job_named('1'));
  end(job_named('1'));
  const std::size_t before = ask(wire::View::events, {}, 0, true)->rows.size();
  writer_.write(kSecondUs, job_removed(job_named('1'), false));
  EXPECT_EQ(ask(wire::View::events, {}, 0, true)->rows.size(), before + 1);
  EXPECT_EQ(ask(wire::View::events)->rows.size(), before + 1);
}

TEST_F(RemovedJobs, AreFoundByIdAndUniquePrefix) {
  for (const char each : {'1', '2'}) {
    run(job_named(each));
    end(job_named(each));
  }
  writer_.write(kSecondUs, job_removed(job_named('2'), false));
  EXPECT_THAT(jobs_of(ask(wire::View::jobs, {job_named('2')})), ElementsAre(job_named('2')));
  EXPECT_EQ(resolve_job(rows(), "k0000").value_or(""), job_named('1'));
  EXPECT_EQ(resolve_job(rows(), "@last").value_or(""), job_named('1'));
  writer_.write(kSecondUs, job_removed(job_named('1'), false));
  EXPECT_EQ(resolve_job(rows(), "@last").error().code, "no_such_job");
  EXPECT_EQ(resolve_job(rows(), "k0000").error().code, "ambiguous_job");
}

TEST_F(RemovedJobs, AreShownInThePastWithErasedTasks) {
  run(job_named('1'));
  end(job_named('1'));
  const Position before = log_.tip().position;
  writer_.write(kSecondUs, job_removed(job_named('1'), true));
  ASSERT_TRUE(log_.erase_blob(1, 0));
  const auto then = ask(wire::View::jobs, {}, before);
  ASSERT_TRUE(then) << then.error().message;
  ASSERT_THAT(jobs_of(then), ElementsAre(job_named('1')));
  EXPECT_EQ(flatbuffers::GetRoot<view::Job>(then->rows.front().data())->task()->str(), "(erased)");
  EXPECT_THAT(jobs_of(ask(wire::View::jobs, {"@last"}, before)), ElementsAre(job_named('1')));
  EXPECT_EQ(ask(wire::View::jobs, {"@last"}, before + 1).error().code, "no_such_job");
}

TEST_F(RemovedJobs, CountInTotalsAsBefore) {
  run(job_named('1'));
  end(job_named('1'));
  writer_.write(kSecondUs, job_removed(job_named('1'), true));
  const auto totals = read_row<view::ProjectTotals>(rows(), kTotalsView, "web");
  ASSERT_TRUE(totals);
  EXPECT_EQ((*totals)->failed(), 1U);
  EXPECT_EQ((*totals)->removed(), 1U);
  EXPECT_EQ(count(wire::View::outcomes), 1U);
}

TEST_F(RemovedJobs, AreNoneOfTheEndedJobsThatAStatusCounts) {
  for (const char last : {'1', '2', '3'}) {
    run(job_named(last));
    end(job_named(last));
  }
  writer_.write(kSecondUs, job_removed(job_named('1'), false));
  writer_.write(kSecondUs, job_removed(job_named('1'), true));
  const auto page = ask(wire::View::status);
  std::vector<const view::Job*> jobs;
  for (const std::string& row : page->rows) jobs.push_back(verified_row<view::Job>(as_bytes(row)));
  auto groups = group_by_attention(jobs, writer_.now);
  const auto totals = read_row<view::ProjectTotals>(rows(), kTotalsView, "web");
  count_all(groups, {&**totals}, true);
  EXPECT_THAT(status_json(groups, {}, writer_.now, 1), testing::HasSubstr("\"ended\":2"));
  EXPECT_EQ((*totals)->removed(), 1U) << "once, also when its texts are erased later";
}

TEST_F(RemovedJobs, AreListedForTheirRemoval) {
  run(job_named('1'));
  end(job_named('1'));
  const Position first = writer_.write(kSecondUs, job_removed(job_named('1'), false));
  const Position second = writer_.write(kSecondUs, job_removed(job_named('1'), true));
  Names seen;
  visit_removals(rows(), first - 1, [&](Position position, std::string_view job) {
    seen.push_back(std::to_string(position) + " " + std::string(job));
  });
  EXPECT_THAT(seen, ElementsAre(std::to_string(first) + " " + job_named('1'),
                                std::to_string(second) + " " + job_named('1')));
  seen.clear();
  visit_removals(rows(), first,
                 [&](Position position, std::string_view) { seen.push_back(std::to_string(position)); });
  EXPECT_THAT(seen, ElementsAre(std::to_string(second)));
}

}  // namespace
}  // namespace luzia::test
