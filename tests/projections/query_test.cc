#include "projections/query.h"

#include "projections/past_views.h"
#include "projections/rows/attention.h"
#include "projections/rows/names.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using Names = std::vector<std::string>;

/// Ids of 13 characters that sort by their number.
std::string id(int number) {
  std::string digits = std::to_string(number);
  return "k" + std::string(12 - digits.size(), '0') + digits;
}

class Queries : public ViewsTest {
 protected:
  void SetUp() override { query_.filter = std::make_unique<wire::FilterT>(); }

  Result<RowPage> ask(wire::View view) {
    query_.view = view;
    QuerySources sources{log_, may_see_, join_};
    sources.now = now_;
    return run_query(rows(), sources, query_);
  }
  Names job_ids(wire::View view = wire::View::jobs) {
    const auto page = ask(view);
    EXPECT_TRUE(page) << page.error().message;
    next_ = page ? page->next : std::string();
    Names ids;
    if (page) {
      for (const auto& job : natives<view::Job>(*page)) ids.push_back(job.id);
    }
    return ids;
  }
  Names event_types(wire::View view) {
    const auto page = ask(view);
    EXPECT_TRUE(page) << page.error().message;
    next_ = page ? page->next : std::string();
    Names types;
    for (const std::string& bytes : page ? page->rows : Names{}) {
      const auto event = verify_event(as_bytes(bytes));
      EXPECT_TRUE(event);
      types.push_back(std::to_string((*event)->position()) + " " + std::string(event_type(**event)));
    }
    return types;
  }
  std::string error_code(wire::View view) {
    const auto page = ask(view);
    return page ? "" : page.error().code;
  }

  wire::QueryT query_;
  std::function<bool(std::string_view)> may_see_;
  std::function<void(view::JobT&)> join_;
  std::string next_;
  TimeUs now_ = 0;
};

class JobQueries : public Queries {
 protected:
  /// 1 completed (alpha, shell), 2 running (beta, claude, tag), 3 queued (alpha, shell), 4 failed (beta,
  /// shell).
  void SetUp() override {
    Queries::SetUp();
    writer_.write(kSecondUs, queued(id(1), "alpha", "shell", "first task"));
    NewEvent tagged = queued(id(2), "beta", "claude", "second task");
    tagged.payload.AsJobEvent()->fact.AsJobQueued()->spec->tags = {"nightly", "slow"};
    writer_.write(kSecondUs, std::move(tagged));
    writer_.write(kSecondUs, queued(id(3), "alpha", "shell", "third task"));
    writer_.write(kSecondUs, queued(id(4), "beta", "shell", "fourth task"));
    for (const int started_job : {1, 2, 4}) {
      writer_.write(kSecondUs, starting(id(started_job)));
      writer_.write(kSecondUs, started(id(started_job)));
    }
    writer_.write(kSecondUs, attempt_ended(id(1), 0, writer_.now));
    writer_.write(0, ended(id(1), schema::JobState::completed));
    writer_.write(kSecondUs, attempt_ended(id(4), 1, writer_.now));
    writer_.write(0, ended(id(4), schema::JobState::failed));
  }
};

TEST_F(JobQueries, NewestFirstAndAllByDefault) {
  EXPECT_EQ(job_ids(), (Names{id(4), id(3), id(2), id(1)}));
  EXPECT_EQ(next_, "");
}

TEST_F(JobQueries, EndedJobsCanBeLeftOut) {
  query_.filter->ended = false;
  EXPECT_EQ(job_ids(), (Names{id(3), id(2)}));
}

TEST_F(JobQueries, PagesFollowOneAnotherWithoutGapsOrRepeats) {
  for (const bool ended : {true, false}) {
    query_.filter->ended = ended;
    query_.limit = 1;
    query_.cursor.clear();
    Names all;
    do {
      const Names page = job_ids();
      EXPECT_EQ(page.size(), 1U);
      all.insert(all.end(), page.begin(), page.end());
      query_.cursor = next_;
    } while (!next_.empty() && all.size() < 10);
    EXPECT_EQ(all, ended ? (Names{id(4), id(3), id(2), id(1)}) : (Names{id(3), id(2)}));
  }
}

TEST_F(JobQueries, EachFilterNarrows) {
  query_.filter->projects = {"beta"};
  EXPECT_EQ(job_ids(), (Names{id(4), id(2)}));
  query_.filter->agents = {"claude"};
  EXPECT_EQ(job_ids(), (Names{id(2)}));
  query_.filter->agents.clear();
  query_.filter->states = {schema::JobState::failed, schema::JobState::lost};
  EXPECT_EQ(job_ids(), (Names{id(4)}));
  query_.filter->states.clear();
  query_.filter->tags = {"slow", "nightly"};
  EXPECT_EQ(job_ids(), (Names{id(2)}));
  query_.filter->tags = {"slow", "other"};
  EXPECT_EQ(job_ids(), Names{});
}

TEST_F(JobQueries, ModelsAndStepsNarrow) {
  NewEvent of_step = queued(id(5), "beta", "claude");
  of_step.payload.AsJobEvent()->fact.AsJobQueued()->spec->step = "build it";
  writer_.write(0, std::move(of_step));
  schema::SessionIdentifiedT session;
  session.model = "small";
  writer_.write(0, job_event(id(2), std::move(session)));
  query_.filter->models = {"small", "other"};
  EXPECT_EQ(job_ids(), (Names{id(2)}));
  query_.filter->models = {"unknown"};
  EXPECT_EQ(job_ids(), (Names{id(5), id(4), id(3), id(1)})) << "as statistics call those without a model";
  query_.filter->steps = {"build it", "test"};
  EXPECT_EQ(job_ids(), (Names{id(5)}));
  query_.filter->models = {"small"};
  EXPECT_EQ(job_ids(), Names{});
}

TEST_F(JobQueries, OlderStateWordsNameJobsThatNeverRanToo) {
  writer_.write(1, ended(id(3), schema::JobState::failed, schema::EndReason::dependency_failed, 0));
  query_.filter->states = {schema::JobState::failed};
  EXPECT_EQ(job_ids(), (Names{id(4), id(3)}));
  query_.filter->states = {schema::JobState::skipped};
  EXPECT_EQ(job_ids(), (Names{id(3)}));
  query_.filter->states = {schema::JobState::killed};
  EXPECT_EQ(job_ids(), Names{});
}

TEST_F(JobQueries, JobsAreFoundByWhatTheyAreAfter) {
  for (const auto& [number, after] : {std::pair(5, 2), std::pair(6, 3), std::pair(7, 5)}) {
    NewEvent event = queued(id(number), "alpha", "shell", "waits");
    event.payload.AsJobEvent()->fact.AsJobQueued()->after = {id(after)};
    writer_.write(1, std::move(event));
  }
  query_.filter->after = {id(2), id(3)};
  EXPECT_EQ(job_ids(), (Names{id(6), id(5)}));
  query_.filter->states = {schema::JobState::running};
  EXPECT_EQ(job_ids(), Names{});
  query_.filter->states.clear();
  query_.filter->after = {id(7)};
  EXPECT_EQ(job_ids(), Names{});
}

TEST_F(JobQueries, TimesAreHalfOpen) {
  query_.filter->since_us = kEpoch + 2 * kSecondUs;
  query_.filter->until_us = kEpoch + 4 * kSecondUs;
  EXPECT_EQ(job_ids(), (Names{id(3), id(2)}));
}

TEST_F(JobQueries, JobsAreNamedByIdOrUniquePrefix) {
  query_.filter->jobs = {id(3), id(1), id(3)};
  EXPECT_EQ(job_ids(), (Names{id(3), id(1)}));
  query_.filter->jobs = {"k00"};
  EXPECT_EQ(error_code(wire::View::jobs), "ambiguous_job");
  query_.filter->jobs = {"zz"};
  EXPECT_EQ(error_code(wire::View::jobs), "no_such_job");
}

TEST_F(JobQueries, ShortestBeginningsNameTheirJobsAlone) {
  writer_.write(kSecondUs, queued("k000000000014", "beta", "shell", "near job 1"));
  writer_.write(kSecondUs, queued("z000000000000", "alpha", "shell", "far from all"));
  query_.beginnings = true;
  query_.filter->jobs = {id(1), id(4), "k000000000014", "z000000000000"};
  const Names beginnings = job_ids();
  EXPECT_EQ(beginnings, (Names{id(1), id(4), "k00000000001", "z"}));
  query_.text.clear();
  for (const std::string& beginning : beginnings) {
    query_.filter->jobs = {beginning};
    EXPECT_EQ(job_ids().size(), 1U) << beginning;
  }
  query_.beginnings = true;
  writer_.write(kSecondUs, queued("z000000000001", "beta", "shell", "not everybody's"));
  query_.filter->jobs = {"z000000000000"};
  EXPECT_EQ(job_ids(), Names{"z000000000000"});
  may_see_ = [](std::string_view project) { return project == "alpha"; };
  EXPECT_EQ(job_ids(), Names{"z"}) << "a job that the caller may not see is not in the way";
}

TEST_F(JobQueries, TaskIsJoinedAndCutBetweenCharacters) {
  std::string task = "a";
  for (int i = 0; i < 3000; ++i) task += "\u00fc";
  writer_.write(1, queued(id(5), "alpha", "shell", task));
  query_.limit = 1;
  const auto page = ask(wire::View::jobs);
  ASSERT_TRUE(page);
  EXPECT_EQ(natives<view::Job>(*page)[0].task, task.substr(0, 4095));
  EXPECT_EQ(find_job(rows(), log_, id(5))->task, task);
  EXPECT_EQ(find_job(rows(), log_, id(5), 2)->task, "a");
}

TEST_F(JobQueries, TasksAreSearchedForAllWords) {
  query_.text = "TASK  th";
  EXPECT_EQ(job_ids(), (Names{id(4), id(3)})) << "fourth task, third task";
  query_.limit = 1;
  EXPECT_EQ(job_ids(), Names{id(4)});
  query_.cursor = next_;
  EXPECT_EQ(job_ids(), Names{id(3)});
  query_.cursor.clear();
  query_.text = "task [a-z]";
  EXPECT_EQ(job_ids(), Names{}) << "words are no expression";
  query_.text = "second";
  query_.filter->projects = {"alpha"};
  EXPECT_EQ(job_ids(), Names{});
}

TEST_F(JobQueries, SearchOfVeryManyTasksContinuesByCursor) {
  for (int job = 10; job < 10'020; ++job) writer_.write(0, queued(id(job), "alpha", "shell", "other"));
  query_.text = "first";
  EXPECT_EQ(job_ids(), Names{});
  ASSERT_NE(next_, "");
  query_.cursor = next_;
  EXPECT_EQ(job_ids(), Names{id(1)});
  EXPECT_EQ(next_, "");
}

TEST_F(JobQueries, ErasedTaskKeepsItsRow) {
  ASSERT_TRUE(log_.erase_blob(1, 0));
  EXPECT_EQ(find_job(rows(), log_, id(1))->task, "(erased)");
  EXPECT_EQ(find_job(rows(), log_, id(1), 0)->task, "") << "no text is read";
  EXPECT_EQ(job_ids().size(), 4U);
}

TEST_F(JobQueries, InMemoryDataIsJoined) {
  join_ = [](view::JobT& job) {
    if (job.state == schema::JobState::running) job.last_line = "now";
  };
  query_.filter->jobs = {id(2)};
  EXPECT_EQ(natives<view::Job>(*ask(wire::View::jobs))[0].last_line, "now");
}

TEST_F(JobQueries, HiddenProjectsAreNotShown) {
  may_see_ = [](std::string_view project) { return project == "alpha"; };
  EXPECT_EQ(job_ids(), (Names{id(3), id(1)}));
  EXPECT_EQ(job_ids(wire::View::status), (Names{id(3), id(1)}));
  query_.filter->jobs = {id(2)};
  EXPECT_EQ(error_code(wire::View::jobs), "no_such_job");
  EXPECT_EQ(error_code(wire::View::why), "no_such_job");
  query_.filter->jobs.clear();
  EXPECT_EQ(ask(wire::View::totals)->rows.size(), 1U);
  EXPECT_EQ(ask(wire::View::durations)->rows.size(), 2U);
  for (const auto& row : natives<view::Activity>(*ask(wire::View::activity))) EXPECT_EQ(row.project, "alpha");
  for (const auto& row : natives<schema::Event>(*ask(wire::View::events))) {
    EXPECT_TRUE(row.stream == "job/" + id(1) || row.stream == "job/" + id(3)) << row.stream;
  }
}

TEST_F(JobQueries, StatusShowsLiveJobsAndThenTheLastEnded) {
  EXPECT_EQ(job_ids(wire::View::status), (Names{id(2), id(3), id(4), id(1)}));
  query_.limit = 1;
  EXPECT_EQ(job_ids(wire::View::status), (Names{id(2), id(3), id(4)}));
  query_.filter->ended = false;
  EXPECT_EQ(job_ids(wire::View::status), (Names{id(2), id(3)}));
}

TEST_F(Queries, StatusListsQueuedJobsLastInStartOrder) {
  for (int number = 1; number <= 4; ++number) {
    writer_.write(kSecondUs, queued(id(number), "alpha", "shell", "", number == 3 ? 9 : 5));
  }
  schema::AttemptStartingT starting;
  starting.attempt = 1;
  writer_.write(kSecondUs, job_event(id(2), std::move(starting)));
  EXPECT_EQ(job_ids(wire::View::status), (Names{id(2), id(3), id(1), id(4)}));
}

TEST_F(Queries, StatusShortensALongQueue) {
  for (unsigned number = 1; number <= kQueuedInStatus + 5; ++number) {
    writer_.write(kSecondUs, queued(id(static_cast<int>(number)), "alpha", "shell", "", 5));
  }
  const auto jobs = natives<view::Job>(*ask(wire::View::status));
  EXPECT_EQ(jobs.size(), kQueuedInStatus);
  EXPECT_EQ(jobs.front().id, id(1));
  const auto page = ask(wire::View::status), totals_page = ask(wire::View::totals);
  std::vector<const view::Job*> rows;
  for (const auto& row : page->rows) rows.push_back(verified_row<view::Job>(as_bytes(row)));
  auto groups = group_by_attention(rows, writer_.now);
  ASSERT_TRUE(names_some(groups, 1));
  count_all(groups, {verified_row<view::ProjectTotals>(as_bytes(totals_page->rows[0]))}, true);
  const std::string words = status_text(groups, {}, writer_.now, {});
  EXPECT_THAT(words, testing::HasSubstr("Queued (the first 10 of 15)"));
  EXPECT_THAT(words, testing::EndsWith("\nall: luzia jobs --state queued; in their order: luzia queue\n"));
  EXPECT_THAT(status_text_compact(groups, {}, writer_.now, {}),
              testing::EndsWith("\nand 5 more queued; all: luzia jobs --state queued; in their order: "
                                "luzia queue\n"));
  EXPECT_THAT(status_markdown(groups, {}, writer_.now),
              testing::EndsWith(" |\n\nall: luzia jobs --state queued; in their order: luzia queue\n"));
  EXPECT_THAT(status_json(groups, {}, writer_.now, 1), testing::HasSubstr("\"queued\":15"));
  query_.long_queue = true;
  EXPECT_EQ(natives<view::Job>(*ask(wire::View::status)).size(), kQueuedInStatus + 5);
}

TEST_F(Queries, OverviewIsConsistentAtOnePosition) {
  for (int number = 1; number <= 3; ++number) {
    writer_.write(kSecondUs, queued(id(number), number == 3 ? "beta" : "alpha", "shell", "", 5));
  }
  writer_.write(kSecondUs, started(id(1)));
  const auto overview = ask(wire::View::overview);
  ASSERT_TRUE(overview) << overview.error().message;
  EXPECT_EQ(overview->rows, ask(wire::View::status)->rows);
  EXPECT_EQ(overview->position, log_.tip().position);
  std::map<wire::RowType, std::vector<std::string>> parts;
  for (const RowPage& part : overview->parts) {
    EXPECT_EQ(part.position, overview->position);
    parts[part.type] = part.rows;
  }
  EXPECT_EQ(parts.size(), 8U) << "recent ends, switches, alerts, questions, approvals, flows, totals, queue";
  EXPECT_EQ(parts[wire::RowType::queue_entry], ask(wire::View::queue)->rows);
  EXPECT_EQ(parts[wire::RowType::totals], ask(wire::View::totals)->rows);
  query_.filter->projects = {"beta"};
  EXPECT_EQ(ask(wire::View::overview)->rows.size(), 1U);
  query_.filter->tags = {"night"};
  const auto tagged = ask(wire::View::overview);
  EXPECT_EQ(tagged->parts.size(), 5U) << "flows and totals are of no tag, and nothing is queued";
  query_.filter->tags.clear();
  query_.at_position = 1;
  EXPECT_EQ(ask(wire::View::overview)->position, 1U);
}

TEST_F(Queries, CompleteQueueHasNoHint) {
  writer_.write(kSecondUs, queued(id(1), "alpha", "shell", "", 5));
  const auto page = ask(wire::View::status);
  const auto groups = group_by_attention({verified_row<view::Job>(as_bytes(page->rows[0]))}, writer_.now);
  EXPECT_THAT(status_text(groups, {}, writer_.now, {}), testing::Not(testing::HasSubstr("luzia jobs")));
}

TEST_F(JobQueries, ForeignCursorsAreRefused) {
  query_.cursor = "nonsense!";
  for (const auto view : {wire::View::jobs, wire::View::queue, wire::View::activity, wire::View::totals,
                          wire::View::durations, wire::View::events}) {
    EXPECT_EQ(error_code(view), "bad_cursor") << wire::EnumNameView(view);
  }
}

TEST_F(JobQueries, NamesResolve) {
  EXPECT_EQ(resolve_job(rows(), "@last"), id(4));
  EXPECT_EQ(resolve_job(rows(), "K000000000002"), id(2));
  EXPECT_EQ(resolve_job(rows(), "").error().code, "no_such_job");
  EXPECT_EQ(resolve_job(rows(), "../etc").error().code, "no_such_job");
  const auto several = resolve_job(rows(), "k0000");
  EXPECT_EQ(several.error().code, "ambiguous_job");
  EXPECT_THAT(several.error().message, testing::HasSubstr(id(1)));
  EXPECT_EQ(resolve_job(rows(), "@last", [](auto project) { return project == "alpha"; }), id(3));
  EXPECT_EQ(resolve_job(rows(), "@last", [](auto) { return false; }).error().code, "no_such_job");
}

TEST_F(JobQueries, ProjectsOfStreams) {
  EXPECT_EQ(project_of_stream(rows(), "job/" + id(2)), "beta");
  EXPECT_EQ(project_of_stream(rows(), "project/gamma"), "gamma");
  EXPECT_EQ(project_of_stream(rows(), "system"), "");
  EXPECT_EQ(project_of_stream(rows(), "job/none"), "");
}

TEST_F(JobQueries, QueueHasPositionsAndPages) {
  writer_.write(1, queued(id(5), "beta", "shell", "", 9));
  writer_.write(1, queued(id(6), "alpha", "shell", "", 1));
  query_.limit = 2;
  auto page = ask(wire::View::queue);
  ASSERT_TRUE(page);
  auto entries = natives<view::QueueEntry>(*page);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].job, id(5));
  EXPECT_EQ(entries[0].position, 1U);
  EXPECT_EQ(entries[1].job, id(3));
  // The first job starts between the pages: the second page skips nothing.
  writer_.write(1, starting(id(5)));
  query_.cursor = page->next;
  entries = natives<view::QueueEntry>(*ask(wire::View::queue));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].job, id(6));
  EXPECT_EQ(entries[0].position, 2U);
}

TEST_F(JobQueries, ActivityTotalsAndDurationsPage) {
  for (const auto view : {wire::View::activity, wire::View::totals, wire::View::durations}) {
    query_.limit = 0;
    query_.cursor.clear();
    const auto whole = ask(view);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->next, "");
    query_.limit = 1;
    Names pages;
    do {
      const auto page = ask(view);
      ASSERT_TRUE(page);
      ASSERT_EQ(page->rows.size(), 1U);
      pages.push_back(page->rows.front());
      query_.cursor = page->next;
    } while (!query_.cursor.empty() && pages.size() < 100);
    EXPECT_EQ(pages, whole->rows) << wire::EnumNameView(view);
    EXPECT_GT(pages.size(), 1U);
  }
}

TEST_F(JobQueries, ActivityTextComesFromTheEvents) {
  const auto rows = natives<view::Activity>(*ask(wire::View::activity));
  ASSERT_GT(rows.size(), 2U);
  EXPECT_EQ(rows[0].text, "failed");
  EXPECT_EQ(rows[1].text, "completed");
  EXPECT_EQ(rows.back().text, "queued for alpha with shell, priority 5");
}

TEST_F(JobQueries, EventsOldestFirstWithCursor) {
  query_.limit = 3;
  EXPECT_THAT(event_types(wire::View::events), ElementsAre("1 JobQueued", "2 JobQueued", "3 JobQueued"));
  query_.cursor = next_;
  EXPECT_THAT(event_types(wire::View::events),
              ElementsAre("4 JobQueued", "5 AttemptStarting", "6 AttemptStarted"));
  query_.cursor = "12";
  EXPECT_THAT(event_types(wire::View::events), ElementsAre("13 AttemptEnded", "14 JobEnded"));
  EXPECT_EQ(next_, "");
  query_.cursor = "99";
  EXPECT_THAT(event_types(wire::View::events), ElementsAre());
}

TEST_F(JobQueries, EventsOfJobsProjectsAndTimes) {
  query_.filter->jobs = {id(4), id(3)};
  EXPECT_THAT(event_types(wire::View::events),
              ElementsAre("3 JobQueued", "4 JobQueued", "9 AttemptStarting", "10 AttemptStarted",
                          "13 AttemptEnded", "14 JobEnded"));
  query_.cursor = "9";
  query_.limit = 2;
  EXPECT_THAT(event_types(wire::View::events), ElementsAre("10 AttemptStarted", "13 AttemptEnded"));
  EXPECT_EQ(next_, "13");
  query_ = wire::QueryT{};
  query_.filter = std::make_unique<wire::FilterT>();
  query_.filter->agents = {"claude"};
  EXPECT_THAT(event_types(wire::View::events),
              ElementsAre("2 JobQueued", "7 AttemptStarting", "8 AttemptStarted"));
  query_.filter->since_us = kEpoch + 3 * kSecondUs;
  query_.filter->until_us = kEpoch + 8 * kSecondUs;
  EXPECT_THAT(event_types(wire::View::events), ElementsAre("7 AttemptStarting"));
}

TEST_F(JobQueries, WhyShowsLifeWarningsAndForeignCauses) {
  schema::OutputAppendedT noise;
  noise.to = 10;
  writer_.write(1, job_event(id(3), std::move(noise)));
  writer_.write(1, warning(id(3), "slow"));
  Source because;
  because.cause = 14;  // the end of job 4
  schema::DependencyEndedT dependency;
  dependency.job = id(4);
  writer_.write(1, job_event(id(3), std::move(dependency)), because);
  query_.filter->jobs = {id(3)};
  EXPECT_THAT(event_types(wire::View::why),
              ElementsAre("3 JobQueued", "14 JobEnded", "16 WarningReported", "17 DependencyEnded"));
  // A cause in a project that the caller may not see is not shown.
  may_see_ = [](std::string_view project) { return project == "alpha"; };
  EXPECT_THAT(event_types(wire::View::why),
              ElementsAre("3 JobQueued", "16 WarningReported", "17 DependencyEnded"));
  query_.filter->jobs = {id(3), id(1)};
  EXPECT_EQ(error_code(wire::View::why), "one_job");
}

TEST_F(JobQueries, WhyKeepsTheLifeAndTheLatestWarnings) {
  for (int i = 0; i < 20; ++i) writer_.write(1, warning(id(3), "slow"));
  query_.filter->jobs = {id(3)};
  query_.limit = 4;
  EXPECT_THAT(event_types(wire::View::why),
              ElementsAre("3 JobQueued", "32 WarningReported", "33 WarningReported", "34 WarningReported"));
}

TEST_F(JobQueries, WhyTellsThatFilesExpired) {
  writer_.write(1, job_event(id(3), schema::FilesExpiredT{}));
  query_.filter->jobs = {id(3)};
  EXPECT_THAT(event_types(wire::View::why), ElementsAre("3 JobQueued", "15 FilesExpired"));
}

TEST_F(JobQueries, EventIsReadByPosition) {
  const auto bytes = read_event(log_, 5);
  ASSERT_TRUE(bytes);
  EXPECT_EQ((*verify_event(as_bytes(*bytes)))->position(), 5U);
  EXPECT_EQ(read_event(log_, 99).error().code, "no_such_position");
  EXPECT_EQ(read_event(log_, 0).error().code, "no_such_position");
}

using PastQueries = JobQueries;

TEST_F(PastQueries, PastStateByPositionAndTime) {
  query_.at_position = 8;
  const auto page = ask(wire::View::jobs);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->position, 8U);
  Names states;
  for (const auto& job : natives<view::Job>(*page)) states.emplace_back(state_name(job.state));
  EXPECT_EQ(states, (Names{"queued", "queued", "running", "running"}));
  query_.at_position = 0;
  query_.at_time_us = kEpoch + 2 * kSecondUs;
  EXPECT_EQ(job_ids(), (Names{id(2), id(1)}));
  query_.at_time_us = kEpoch;  // before the first event
  EXPECT_EQ(job_ids(), Names{});
}

TEST_F(PastQueries, BudgetAppliesOnlyOnItsDay) {
  const auto held_back = [this] {
    const auto page = ask(wire::View::switches);
    EXPECT_TRUE(page) << page.error().message;
    return page ? natives<view::QueueSwitch>(*page).size() : 0;
  };
  schema::ProjectBudgetNotedT fact;
  fact.project = "alpha";
  fact.kind = "tokens";
  fact.reached = true;
  fact.until_us = kEpoch + kDayUs;
  const Position reached = writer_.write(kSecondUs, new_event("project/alpha", std::move(fact)));
  now_ = writer_.now;
  EXPECT_EQ(held_back(), 1U);
  now_ = kEpoch + kDayUs;
  EXPECT_EQ(held_back(), 0U);
  query_.at_position = reached;
  EXPECT_EQ(held_back(), 1U);
  query_.at_position = writer_.write(kDayUs, queued(id(5), "alpha"));
  EXPECT_EQ(held_back(), 0U);
  query_.at_position = 0;
  query_.at_time_us = kEpoch + kDayUs - 1;
  EXPECT_EQ(held_back(), 1U);
  query_.at_time_us = kEpoch + kDayUs;
  EXPECT_EQ(held_back(), 0U);
}

TEST_F(PastQueries, PastJobComesFromItsStream) {
  query_.filter->jobs = {id(4)};
  query_.at_position = 9;
  const auto jobs = natives<view::Job>(*ask(wire::View::jobs));
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].state, schema::JobState::starting);
  EXPECT_EQ(jobs[0].task, "fourth task");
  query_.at_position = 3;  // not yet queued
  EXPECT_EQ(error_code(wire::View::jobs), "no_such_job");
}

TEST_F(PastQueries, EveryViewHasAPast) {
  query_.at_position = 4;
  EXPECT_EQ(ask(wire::View::queue)->rows.size(), 4U);
  EXPECT_EQ(ask(wire::View::activity)->rows.size(), 4U);
  EXPECT_EQ(natives<view::ProjectTotals>(*ask(wire::View::totals))[0].queued, 2U);
  EXPECT_EQ(ask(wire::View::durations)->rows.size(), 0U);
  EXPECT_EQ(ask(wire::View::events)->rows.size(), 4U);
  EXPECT_EQ(job_ids(wire::View::status).size(), 4U);
  query_.filter->jobs = {id(4)};
  EXPECT_THAT(event_types(wire::View::why), ElementsAre("4 JobQueued"));
}

TEST_F(PastQueries, PositionBeyondTheLogIsRefused) {
  query_.at_position = 99;
  EXPECT_EQ(error_code(wire::View::jobs), "no_such_position");
  EXPECT_EQ(error_code(wire::View::events), "no_such_position");
}

}  // namespace
}  // namespace luzia::test
