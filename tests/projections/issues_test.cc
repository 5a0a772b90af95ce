// Report views issues and issue_days: known problems of jobs, their repeats, and when they were fixed.
#include "projections/issues.h"

#include "projections/rows/issue_rows.h"
#include "projections/rows/issue_statistics.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using view::IssueState;

NewEvent detected(const std::string& job, const std::string& fingerprint, std::uint32_t attempt = 1,
                  const std::string& pattern = "no_module") {
  schema::IssueDetectedT fact;
  fact.attempt = attempt;
  fact.pattern = pattern;
  fact.severity = schema::Severity::error;
  fact.fingerprint = fingerprint;
  fact.line_no = 7;
  fact.offset = 70;
  fact.line = "No module named 'x'";
  fact.fix = "pip install x";
  return job_event(job, std::move(fact));
}

NewEvent repeated(const std::string& job, const std::string& fingerprint, std::uint64_t count) {
  schema::IssueRepeatedT fact;
  fact.attempt = 1;
  fact.fingerprint = fingerprint;
  fact.count = count;
  return job_event(job, std::move(fact));
}

class IssuesViewTest : public ViewsTest {
 protected:
  RowPage ask(wire::View view, const std::string& job = {}, std::uint32_t limit = 0,
              const std::string& cursor = {}, bool unfixed_only = false) {
    wire::QueryT query;
    query.view = view;
    query.limit = limit;
    query.cursor = cursor;
    query.unfixed_only = unfixed_only;
    query.filter = std::make_unique<wire::FilterT>();
    if (!job.empty()) query.filter->jobs = {job};
    auto page = run_query(rows(), {log_, {}, {}, {}}, query);
    EXPECT_TRUE(page) << page.error().message;
    return page ? std::move(*page) : RowPage{};
  }
  std::vector<view::IssueT> issues(const std::string& job = {}) {
    std::vector<view::IssueT> all;
    for (const std::string& row : ask(wire::View::issues, job).rows) {
      all.push_back(StoredRow<view::Issue>(row).native());
    }
    return all;
  }
  std::vector<std::string> states() {
    std::vector<std::string> all;
    for (const auto& issue : issues()) {
      all.push_back(issue.job + " " + issue.fingerprint + " x" + std::to_string(issue.count) + " " +
                    view::EnumNameIssueState(issue.state));
    }
    return all;
  }
  std::vector<IssueStatistic> statistics(IssuesBy by) {
    const RowPage page = ask(wire::View::issue_days);
    std::vector<StoredRow<view::IssueDay>> rows;
    for (const std::string& row : page.rows) rows.emplace_back(row);
    std::vector<const view::IssueDay*> days;
    for (const auto& row : rows) days.push_back(&*row);
    return issue_statistics(days, by, writer_.now);
  }
  /// The `before:` line of the job's only issue, as people read it.
  std::string before_of(const std::string& job) {
    const RowPage page = ask(wire::View::issues, job);
    EXPECT_EQ(page.rows.size(), 1u);
    const StoredRow<view::Issue> row(page.rows.at(0));
    const std::string told = issues_text({&*row}, {});
    const std::size_t begin = told.find("  before: ");
    return begin == std::string::npos ? told : told.substr(begin + 10, told.find('\n', begin) - begin - 10);
  }
  void attempt(const std::string& job, std::uint32_t number, const std::string& project = "alpha") {
    if (number == 1) {
      writer_.write(kSecondUs, queued(job, project));
    } else {
      schema::JobRetriedT retry;
      retry.attempt = number;
      writer_.write(kSecondUs, job_event(job, std::move(retry)));
    }
    schema::AttemptStartingT start;
    start.attempt = number;
    writer_.write(0, job_event(job, std::move(start)));
    writer_.write(0, started(job));
  }
  void end(const std::string& job, int code) {
    writer_.write(kSecondUs, attempt_ended(job, code, writer_.now, kSecondUs));
    writer_.write(0, ended(job, code == 0 ? schema::JobState::completed : schema::JobState::failed));
  }
};

constexpr const char* kFailing = "1qfamr9c00c6x";

/// `line` as an issue in an attempt of kFailing.
NewEvent issue_line(const std::string& line, std::uint64_t offset, schema::IssueRank rank,
                    std::uint32_t attempt = 1, const std::string& fingerprint = {}) {
  NewEvent event = detected(kFailing, fingerprint.empty() ? line : fingerprint, attempt);
  auto& fact = *event.payload.AsIssueEvent()->fact.AsIssueDetected();
  fact.line = line;
  fact.offset = offset;
  fact.line_no = offset / 10 + 1;
  fact.rank = rank;
  return event;
}

class FailureTest : public IssuesViewTest {
 protected:
  /// "LINE_NO@OFFSET SUMMARY"; empty: the job's row names no failure.
  std::string failure() {
    const auto row = StoredRow<view::Job>(ask(wire::View::jobs, kFailing).rows.at(0)).native();
    if (!row.failure) return {};
    return std::to_string(row.failure->first_line) + "@" + std::to_string(row.failure->offset) + " " +
           row.failure->summary;
  }
  void end_for(schema::JobState state, schema::EndReason reason, std::uint32_t attempt = 1,
               std::uint64_t checks_from = 0) {
    NewEvent end = attempt_ended(kFailing, 1, writer_.now, kSecondUs, attempt);
    end.payload.AsJobEvent()->fact.AsAttemptEnded()->checks_from = checks_from;
    writer_.write(kSecondUs, std::move(end));
    writer_.write(0, ended(kFailing, state, reason, attempt));
  }
};

TEST_F(FailureTest, IsTheFirstCauseOfTheLastAttempt) {
  attempt(kFailing, 1);
  writer_.write(1, issue_line("no route", 10, schema::IssueRank::clue));
  writer_.write(1, issue_line("a.cc:3: error", 20, schema::IssueRank::cause));
  writer_.write(1, issue_line("b.cc:3: error", 30, schema::IssueRank::cause));
  writer_.write(1, issue_line("make: Error 1", 40, schema::IssueRank::consequence));
  EXPECT_EQ(failure(), "") << "it has not failed yet";
  end_for(schema::JobState::failed, schema::EndReason::exit_code);
  EXPECT_EQ(failure(), "3@20 a.cc:3: error");
  attempt(kFailing, 2);
  EXPECT_EQ(failure(), "") << "another attempt";
  writer_.write(1, issue_line("b.cc:3: error", 50, schema::IssueRank::cause, 2));
  end_for(schema::JobState::failed, schema::EndReason::exit_code, 2);
  EXPECT_EQ(failure(), "6@50 b.cc:3: error") << "a.cc compiles now, and b.cc is elsewhere in this output";
  attempt(kFailing, 3);
  end_for(schema::JobState::failed, schema::EndReason::exit_code, 3);
  EXPECT_EQ(failure(), "") << "nothing that is known";
}

TEST_F(FailureTest, FoldsTheIssuesThatItExplains) {
  const auto row = [this] {
    return StoredRow<view::Job>(ask(wire::View::jobs, kFailing).rows.at(0)).native();
  };
  const auto listed = [this] {
    wire::QueryT query;
    query.view = wire::View::issues;
    query.without_folded = true;
    query.filter = std::make_unique<wire::FilterT>();
    const auto page = run_query(rows(), {log_, {}, {}, {}}, query);
    EXPECT_TRUE(page.has_value());
    std::vector<std::string> lines;
    for (const std::string& each : page->rows) {
      const auto issue = StoredRow<view::Issue>(each).native();
      lines.push_back(issue.line + " +" + std::to_string(issue.similar));
    }
    return lines;
  };
  attempt(kFailing, 1);
  writer_.write(1, issue_line("a.cc:3: error", 20, schema::IssueRank::cause));
  writer_.write(1, issue_line("b.cc:3: error", 30, schema::IssueRank::cause));
  NewEvent make = issue_line("make: Error 1", 40, schema::IssueRank::consequence);
  make.payload.AsIssueEvent()->fact.AsIssueDetected()->pattern = "make";
  writer_.write(1, std::move(make));
  EXPECT_EQ(listed().size(), 3u) << "it has not ended";
  EXPECT_EQ(row().issues, 3u);
  end_for(schema::JobState::failed, schema::EndReason::exit_code);
  EXPECT_THAT(listed(), UnorderedElementsAre("a.cc:3: error +0", "b.cc:3: error +0"));
  EXPECT_EQ(issues(kFailing).size(), 3u) << "it is shown on request";
  EXPECT_EQ(row().failure->folded, 1u);
  EXPECT_EQ(row().issues, 2u);

  attempt(kFailing, 2);
  writer_.write(1, issue_line("b.cc:3: error", 50, schema::IssueRank::cause, 2));
  EXPECT_THAT(listed(), UnorderedElementsAre("a.cc:3: error +0", "b.cc:3: error +0")) << "seen again";
  writer_.write(1, issue_line("no route", 60, schema::IssueRank::clue, 2, "route"));
  end_for(schema::JobState::completed, schema::EndReason::exit_code, 2);
  EXPECT_THAT(listed(), UnorderedElementsAre("a.cc:3: error +0", "b.cc:3: error +1")) << "it went on after";
  EXPECT_EQ(row().issues, 1u);
}

TEST_F(FailureTest, LaterAttemptShowsItsOwnLineOfAnIssue) {
  attempt(kFailing, 1);
  writer_.write(1, issue_line("test_a failed", 10, schema::IssueRank::cause, 1, "one"));
  end_for(schema::JobState::failed, schema::EndReason::exit_code);
  attempt(kFailing, 2);
  writer_.write(1, issue_line("test_b failed", 70, schema::IssueRank::cause, 2, "one"));
  end_for(schema::JobState::failed, schema::EndReason::exit_code, 2);
  EXPECT_EQ(failure(), "8@70 test_b failed");
  const auto all = issues(kFailing);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].line, "test_b failed");
  EXPECT_EQ(all[0].first_offset, 70u);
}

TEST_F(FailureTest, OfRefutedWorkIsWhatItsChecksPrinted) {
  attempt(kFailing, 1);
  writer_.write(1, issue_line("seen by the agent", 10, schema::IssueRank::cause));
  writer_.write(1, issue_line("seen by both", 20, schema::IssueRank::cause));
  writer_.write(1, issue_line("seen by a check", 200, schema::IssueRank::cause));
  schema::IssueRepeatedT again;
  again.attempt = 1;
  again.count = 1;
  again.fingerprint = "seen by both";
  again.last_line_no = 16;
  again.last_offset = 150;
  writer_.write(1, job_event(kFailing, std::move(again)));
  end_for(schema::JobState::failed, schema::EndReason::verify_failed, 1, 100);
  EXPECT_EQ(failure(), "16@150 seen by both");
}

TEST_F(FailureTest, KnownReasonNeedsNone) {
  const std::pair<schema::JobState, schema::EndReason> ends[] = {
      {schema::JobState::timed_out, schema::EndReason::timed_out},
      {schema::JobState::killed, schema::EndReason::cancelled},
      {schema::JobState::killed, schema::EndReason::memory_limit},
      {schema::JobState::failed, schema::EndReason::budget_exceeded},
      {schema::JobState::failed, schema::EndReason::agent_failed},
      {schema::JobState::completed, schema::EndReason::exit_code}};
  std::uint32_t number = 0;
  for (const auto& [state, reason] : ends) {
    attempt(kFailing, ++number);
    writer_.write(1, issue_line("a.cc:3: error", 10, schema::IssueRank::cause, number));
    end_for(state, reason, number);
    EXPECT_EQ(failure(), "") << schema::EnumNameEndReason(reason);
  }
}

TEST_F(FailureTest, WhatTheAgentSaidIsNotGuessedFromItsTranscript) {
  attempt(kFailing, 1);
  writer_.write(1, issue_line("a.cc:3: error", 10, schema::IssueRank::cause));
  schema::AgentConcludedT concluded;
  concluded.attempt = 1;
  concluded.outcome = schema::AgentOutcome::failed;
  writer_.write(1, job_event(kFailing, std::move(concluded)));
  end_for(schema::JobState::failed, schema::EndReason::exit_code);
  EXPECT_EQ(failure(), "");
}

TEST_F(FailureTest, PurgedJobForgetsIt) {
  attempt(kFailing, 1);
  writer_.write(1, issue_line("a.cc:3: error", 10, schema::IssueRank::cause));
  end_for(schema::JobState::failed, schema::EndReason::exit_code);
  EXPECT_EQ(failure(), "2@10 a.cc:3: error");
  schema::JobRemovedT removed;
  removed.purged = true;
  writer_.write(1, job_event(kFailing, std::move(removed)));
  const auto row = find_job_row(rows(), kFailing);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->failure, nullptr);
}

TEST_F(IssuesViewTest, RepeatsAreCountedWithTheFirstPlace) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  const TimeUs first = writer_.now;
  writer_.write(5 * kSecondUs, repeated("1qfamr9c00c6x", "a", 9'999));
  const auto all = issues();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].count, 10'000u);
  EXPECT_EQ(all[0].first_us, first);
  EXPECT_EQ(all[0].last_us, writer_.now);
  EXPECT_EQ(all[0].first_line, 7u);
  EXPECT_EQ(all[0].project, "alpha");
  EXPECT_EQ(all[0].state, IssueState::open);
}

TEST_F(IssuesViewTest, RepeatedReportIsAnotherOccurrence) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x2 open"));
  const auto counted = statistics(IssuesBy::pattern);
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].issues, 1u);
  EXPECT_EQ(counted[0].occurrences, 2u);
}

TEST_F(IssuesViewTest, IssueAbsentFromACompletedRetryIsFixed) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  writer_.write(0, detected("1qfamr9c00c6x", "b"));
  end("1qfamr9c00c6x", 1);
  attempt("1qfamr9c00c6x", 2);
  writer_.write(1, detected("1qfamr9c00c6x", "b", 2));
  end("1qfamr9c00c6x", 0);
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x b x2 open", "1qfamr9c00c6x a x1 fixed"));
  const auto counted = statistics(IssuesBy::project);
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].key, "alpha");
  EXPECT_EQ(counted[0].fixed, 1u);
  EXPECT_EQ(counted[0].fix_rate(), 0.5);
  EXPECT_EQ(counted[0].mean_fix_time(), 3 * kSecondUs + 1);
}

TEST_F(IssuesViewTest, CompletedFirstAttemptFixesNothing) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  end("1qfamr9c00c6x", 0);
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x1 open"));
}

TEST_F(IssuesViewTest, FixOutcomeIsKept) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  schema::FixStartedT begun;
  begun.fingerprint = "a";
  begun.job = "fixer";
  writer_.write(1, job_event("1qfamr9c00c6x", begun));
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x1 fixing"));
  schema::FixEndedT over;
  over.fingerprint = "a";
  over.job = "fixer";
  over.fixed = false;
  writer_.write(1, job_event("1qfamr9c00c6x", over));
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x1 unfixed"));
  over.fixed = true;
  writer_.write(1, job_event("1qfamr9c00c6x", over));
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x1 fixed"));
  EXPECT_EQ(statistics(IssuesBy::pattern)[0].fixes_tried, 1u);
  EXPECT_EQ(issues("1qfamr9c00c6x").at(0).fixed_by_job, "fixer");
}

TEST_F(IssuesViewTest, NewestJobsFirstOnContinuousPages) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  attempt("1qfamr9c00c6y", 1);
  writer_.write(1, detected("1qfamr9c00c6y", "a"));
  writer_.write(1, detected("1qfamr9c00c6y", "b"));
  EXPECT_THAT(states(),
              ElementsAre("1qfamr9c00c6y b x1 open", "1qfamr9c00c6y a x1 open", "1qfamr9c00c6x a x1 open"));
  EXPECT_EQ(issues("1qfamr9c00c6x").size(), 1u);
  const RowPage first = ask(wire::View::issues, {}, 2);
  ASSERT_EQ(first.rows.size(), 2u);
  const RowPage second = ask(wire::View::issues, {}, 2, first.next);
  ASSERT_EQ(second.rows.size(), 1u);
  EXPECT_EQ(StoredRow<view::Issue>(second.rows[0])->job()->str(), "1qfamr9c00c6x");
  EXPECT_EQ(second.next, "");
}

TEST_F(IssuesViewTest, PagesOfOpenIssuesAreFull) {
  for (const char* job : {"1qfamr9c00c60", "1qfamr9c00c61"}) {
    attempt(job, 1);
    writer_.write(1, detected(job, "open"));
    for (const char* fixed : {"a", "b", "c"}) {
      writer_.write(1, detected(job, fixed));
      schema::FixEndedT over;
      over.fingerprint = fixed;
      over.fixed = true;
      writer_.write(1, job_event(job, over));
    }
  }
  const RowPage first = ask(wire::View::issues, {}, 1, {}, true);
  ASSERT_EQ(first.rows.size(), 1u);
  EXPECT_EQ(StoredRow<view::Issue>(first.rows[0])->job()->str(), "1qfamr9c00c61");
  EXPECT_NE(first.next, "");
  const RowPage second = ask(wire::View::issues, {}, 1, first.next, true);
  ASSERT_EQ(second.rows.size(), 1u);
  EXPECT_EQ(StoredRow<view::Issue>(second.rows[0])->job()->str(), "1qfamr9c00c60");
  EXPECT_EQ(second.next, "");
  EXPECT_EQ(ask(wire::View::issues, "1qfamr9c00c60", 0, {}, true).rows.size(), 1u);
}

TEST_F(IssuesViewTest, EarlierDaysAreJoined) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  end("1qfamr9c00c6x", 1);
  attempt("1qfamr9c00c6x", 2);
  end("1qfamr9c00c6x", 0);
  writer_.now += 2 * kDayUs;
  attempt("1qfamr9c00c6y", 1);
  writer_.write(1, detected("1qfamr9c00c6y", "z"));
  const auto all = issues("1qfamr9c00c6y");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].seen_before, 1u);
  EXPECT_EQ(all[0].fixed_before, 1u);
  EXPECT_EQ(all[0].fixed_by, "") << "no fix ran: a later attempt did not show it";
  EXPECT_EQ(all[0].fixed_by_job, "1qfamr9c00c6x");
}

TEST_F(IssuesViewTest, EarlierOccurrencesOfTheDayCount) {
  writer_.now = 100 * kDayUs;
  attempt("1qfamr9c00c60", 1);
  writer_.write(1, detected("1qfamr9c00c60", "a"));
  end("1qfamr9c00c60", 1);
  attempt("1qfamr9c00c60", 2);
  end("1qfamr9c00c60", 0);
  writer_.now = 101 * kDayUs;
  attempt("1qfamr9c00c61", 1);
  writer_.write(1, detected("1qfamr9c00c61", "a"));
  writer_.write(1, detected("1qfamr9c00c61", "a"));
  writer_.write(1, repeated("1qfamr9c00c61", "a", 50));
  end("1qfamr9c00c61", 1);
  attempt("1qfamr9c00c61", 2);
  end("1qfamr9c00c61", 0);
  attempt("1qfamr9c00c62", 1, "beta");
  writer_.write(1, detected("1qfamr9c00c62", "a"));
  attempt("1qfamr9c00c63", 1);
  writer_.write(1, detected("1qfamr9c00c63", "z"));
  attempt("1qfamr9c00c64", 1);
  writer_.write(1, detected("1qfamr9c00c64", "a", 1, "another_pattern"));
  attempt("1qfamr9c00c65", 1);
  writer_.write(1, detected("1qfamr9c00c65", "a"));

  EXPECT_EQ(before_of("1qfamr9c00c60"), "this is the first time in this project");
  EXPECT_EQ(before_of("1qfamr9c00c61"), "seen once in this project, fixed once") << "the day before";
  EXPECT_EQ(before_of("1qfamr9c00c62"), "this is the first time in this project") << "another project";
  EXPECT_EQ(before_of("1qfamr9c00c63"), "seen 2 times in this project, fixed 2 times");
  EXPECT_EQ(before_of("1qfamr9c00c64"), "this is the first time in this project") << "another pattern";
  EXPECT_EQ(before_of("1qfamr9c00c65"), "seen 3 times in this project, fixed 2 times");
}

TEST_F(IssuesViewTest, UnfixedEarlierIssueSaysSo) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  attempt("1qfamr9c00c6y", 1);
  writer_.write(1, detected("1qfamr9c00c6y", "a"));
  writer_.write(1, detected("1qfamr9c00c6x", "a", 2));
  EXPECT_EQ(before_of("1qfamr9c00c6y"), "seen once in this project, never fixed");
  EXPECT_EQ(before_of("1qfamr9c00c6x"), "this is the first time in this project")
      << "as known when it occurred";
}

TEST_F(IssuesViewTest, JobsOwnIssuesAreNotEarlier) {
  writer_.now = 100 * kDayUs - 10 * kSecondUs;
  attempt("1qfamr9c00c6x", 1);
  for (const char* fingerprint : {"a", "b", "c"}) writer_.write(1, detected("1qfamr9c00c6x", fingerprint));
  end("1qfamr9c00c6x", 1);
  writer_.now = 100 * kDayUs;  // the next day
  attempt("1qfamr9c00c6x", 2);
  writer_.write(1, detected("1qfamr9c00c6x", "d", 2));
  end("1qfamr9c00c6x", 0);  // this success fixes a, b and c
  attempt("1qfamr9c00c6x", 3);
  writer_.write(1, detected("1qfamr9c00c6x", "e", 3));
  for (const auto& issue : issues("1qfamr9c00c6x")) {
    EXPECT_EQ(issue.seen_before, 0u) << issue.fingerprint;
    EXPECT_EQ(issue.fixed_before, 0u) << issue.fingerprint;
  }
  attempt("1qfamr9c00c6y", 1);
  writer_.write(1, detected("1qfamr9c00c6y", "a"));
  writer_.write(1, detected("1qfamr9c00c6y", "b"));
  for (const auto& issue : issues("1qfamr9c00c6y")) {
    EXPECT_EQ(issue.seen_before, 5u) << issue.fingerprint;
    EXPECT_EQ(issue.fixed_before, 3u) << issue.fingerprint;
  }
}

TEST_F(IssuesViewTest, RecurringIssueCountsAsFixedOnce) {
  attempt("1qfamr9c00c6x", 1);
  writer_.write(1, detected("1qfamr9c00c6x", "a"));
  end("1qfamr9c00c6x", 1);
  attempt("1qfamr9c00c6x", 2);
  end("1qfamr9c00c6x", 0);
  attempt("1qfamr9c00c6x", 3);
  writer_.write(1, detected("1qfamr9c00c6x", "a", 3));
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x2 open"));
  end("1qfamr9c00c6x", 1);
  attempt("1qfamr9c00c6x", 4);
  end("1qfamr9c00c6x", 0);
  EXPECT_THAT(states(), ElementsAre("1qfamr9c00c6x a x2 fixed"));
  EXPECT_EQ(statistics(IssuesBy::pattern)[0].fixed, 1u);
  attempt("1qfamr9c00c6y", 1);
  writer_.write(1, detected("1qfamr9c00c6y", "a"));
  EXPECT_EQ(before_of("1qfamr9c00c6y"), "seen once in this project, fixed once");
}

TEST_F(IssuesViewTest, BatchSizeDoesNotChangeEarlierIssues) {
  for (const char* job : {"1qfamr9c00c6x", "1qfamr9c00c6y", "1qfamr9c00c6z"}) {
    attempt(job, 1);
    writer_.write(1, detected(job, "a"));
    ask(wire::View::issues);  // each query flushes first
  }
  MemoryViewStore whole;
  ASSERT_TRUE(catch_up(log_, all_projections(), whole));
  const auto rows_of = [](const ViewReader& reader) {
    std::vector<std::string> rows;
    reader.scan(row_key(kIssuesView, ""), row_end(kIssuesView),
                [&](std::string_view, std::string_view value) {
                  rows.emplace_back(value);
                  return true;
                });
    return rows;
  };
  const auto replayed = rows_of(*whole.snapshot());
  EXPECT_EQ(replayed.size(), 6u) << "a row for the issue, and one for each job";
  EXPECT_EQ(rows_of(*rows_), replayed);
  EXPECT_EQ(before_of("1qfamr9c00c6z"), "seen 2 times in this project, never fixed");
}

TEST_F(IssuesViewTest, JobWithoutIssuesHasNone) {
  attempt("1qfamr9c00c6x", 1);
  end("1qfamr9c00c6x", 0);
  EXPECT_THAT(issues(), IsEmpty());
  EXPECT_THAT(ask(wire::View::issue_days).rows, IsEmpty());
}

TEST(IssuesText, LongLinesAreWrappedButCommandsAreNot) {
  view::IssueT issue;
  issue.pattern = "python-module-missing";
  issue.job = "k1";
  issue.project = "alpha";
  issue.line = "ModuleNotFoundError: No module named 'requests'";
  issue.fix_command = "pip install requests and all that it needs";
  const std::string bytes = row_bytes(issue);
  EXPECT_THAT(issues_text({verified_row<view::Issue>(as_bytes(bytes))}, {.width = 40}),
              AllOf(HasSubstr("  where:  job k1 (alpha), line 0:\n"
                              "          ModuleNotFoundError: No module\n"
                              "          named 'requests'\n"),
                    HasSubstr("  run:    pip install requests and all that it needs\n")));
}

}  // namespace
}  // namespace luzia::test
