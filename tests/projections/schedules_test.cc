// Views schedules and schedule_results: each schedule once, now and then, with how its jobs came out.
#include "projections/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/query.h"
#include "projections/registry.h"
#include "projections/rows/event_text.h"
#include "projections/rows/schedule_rows.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

using schema::JobState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SchedulesView : public testing::Test {
 protected:
  void set(const std::string& name, const std::string& project) {
    schema::ScheduleSetT fact;
    fact.schedule = name;
    fact.project = project;
    fact.rule = "0 7 * * 1-5";
    fact.time_zone = "UTC";
    fact.next_us = kEpoch + kHourUs;
    write(name, std::move(fact));
  }
  void due(const std::string& name, schema::DueOutcome outcome, const std::string& job = {},
           std::uint64_t missed = 0) {
    schema::ScheduleDueT fact;
    fact.due_us = writer_.now;
    fact.outcome = outcome;
    fact.job = job;
    fact.missed = missed;
    fact.next_us = writer_.now + kHourUs;
    if (outcome == schema::DueOutcome::refused) fact.note = "no directory";
    write(name, std::move(fact));
  }
  template <class Fact>
  void write(const std::string& name, Fact fact) {
    schema::ScheduleFactUnion fact_union;
    fact_union.Set(std::move(fact));
    writer_.write(kSecondUs, new_event(schedule_stream(name), std::move(fact_union)), {.name = "ada"});
  }
  /// Queues a job of the schedule, runs it, and ends it.
  void run(const std::string& id, const std::string& schedule, JobState state, double cost) {
    NewEvent event = queued(id, "web", "claude");
    event.payload.AsJobEvent()->fact.AsJobQueued()->spec->schedule = schedule;
    writer_.write(0, std::move(event));
    writer_.write(0, starting(id, 1));
    writer_.write(0, started(id, 1));
    schema::UsageReportedT usage;
    usage.attempt = 1;
    usage.output_tokens = 10;
    usage.cost_usd = cost;
    schema::UsageFactUnion fact;
    fact.Set(std::move(usage));
    writer_.write(0, new_event("job/" + id, std::move(fact)));
    writer_.write(0, ended(id, state, schema::EndReason::exit_code, 1));
  }
  RowPage page_of(wire::QueryT query, bool sees_everything = true) {
    EXPECT_TRUE(catch_up(log_, all_projections(), store_));
    rows_ = store_.snapshot();
    QuerySources sources{log_, {}, {}};
    if (!sees_everything) sources.may_see = [](std::string_view project) { return project == "web"; };
    auto page = run_query(*rows_, sources, query);
    EXPECT_TRUE(page) << page.error().message;
    return page ? *std::move(page) : RowPage{};
  }
  std::vector<view::ScheduleT> listed(bool ended = true, bool sees_everything = true, Position at = 0) {
    wire::QueryT query;
    query.view = wire::View::schedules;
    query.at_position = at;
    query.filter = std::make_unique<wire::FilterT>();
    query.filter->ended = ended;
    std::vector<view::ScheduleT> list;
    for (const std::string& bytes : page_of(std::move(query), sees_everything).rows) {
      flatbuffers::GetRoot<view::Schedule>(bytes.data())->UnPackTo(&list.emplace_back());
    }
    return list;
  }
  static std::vector<std::string> names(const std::vector<view::ScheduleT>& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(row.schedule);
    return names;
  }

  MemoryEventLog log_;
  LogWriter writer_{log_};
  MemoryViewStore store_;
  std::unique_ptr<ViewReader> rows_;
};

TEST_F(SchedulesView, CountsDueTimesAndTheJobsOfThem) {
  set("morning", "web");
  due("morning", schema::DueOutcome::dispatched, "job-1", 2);
  run("job-1", "morning", JobState::completed, 0.5);
  due("morning", schema::DueOutcome::skipped_overlap);
  due("morning", schema::DueOutcome::dispatched, "job-2");
  run("job-2", "morning", JobState::failed, 0.25);
  run("job-3", "", JobState::completed, 9);
  due("morning", schema::DueOutcome::refused);
  const auto rows = listed();
  ASSERT_EQ(rows.size(), 1U);
  const view::ScheduleT& row = rows[0];
  EXPECT_EQ(row.dispatched, 2U);
  EXPECT_EQ(row.skipped_missed, 2U);
  EXPECT_EQ(row.skipped_overlap, 1U);
  EXPECT_EQ(row.refused, 1U);
  EXPECT_EQ(row.last_job, "job-2");
  EXPECT_EQ(row.note, "no directory");
  ASSERT_TRUE(row.results);
  EXPECT_EQ(row.results->completed, 1U);
  EXPECT_EQ(row.results->failed, 1U);
  EXPECT_DOUBLE_EQ(row.results->cost_usd, 0.75);
  EXPECT_EQ(row.results->tokens, 20U);
}

TEST_F(SchedulesView, AJobThatIsRetriedCountsInItsPresentState) {
  set("morning", "web");
  run("job-1", "morning", JobState::failed, 0);
  EXPECT_EQ(listed()[0].results->failed, 1U);
  schema::JobRetriedT retried;
  retried.attempt = 2;
  writer_.write(0, job_event("job-1", std::move(retried)));
  EXPECT_EQ(listed()[0].results->failed, 0U);
  writer_.write(0, starting("job-1", 2));
  writer_.write(0, started("job-1", 2));
  writer_.write(0, ended("job-1", JobState::completed, schema::EndReason::exit_code, 2));
  EXPECT_EQ(listed()[0].results->completed, 1U);
}

TEST_F(SchedulesView, MembersSeeThoseOfTheirProjectsNowAndThen) {
  set("morning", "web");
  set("secret", "vault");
  EXPECT_THAT(names(listed(true, false)), ElementsAre("morning"));
  EXPECT_EQ(project_of_stream(*rows_, "schedule/secret"), "vault");
  write("morning", schema::ScheduleDroppedT{});
  EXPECT_THAT(names(listed(false)), ElementsAre("secret"));
  EXPECT_THAT(names(listed(true)), ElementsAre("morning", "secret"));
  EXPECT_THAT(names(listed(false, true, 1)), ElementsAre("morning")) << "as it was then";
}

TEST_F(SchedulesView, JobsAreFilteredByTheirSchedule) {
  set("morning", "web");
  run("job-1", "morning", JobState::completed, 0);
  run("job-2", "", JobState::completed, 0);
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->schedules = {"morning"};
  const RowPage page = page_of(query);
  ASSERT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(flatbuffers::GetRoot<view::Job>(page.rows[0].data())->id()->str(), "job-1");
  query.filter->schedules = {"evening"};
  EXPECT_THAT(page_of(query).rows, IsEmpty());
}

TEST_F(SchedulesView, NamesAgentAndStateOfItsLastJob) {
  set("morning", "web");
  EXPECT_EQ(listed()[0].agent, "");
  due("morning", schema::DueOutcome::dispatched, "job-1");
  run("job-1", "morning", JobState::failed, 0);
  due("morning", schema::DueOutcome::skipped_overlap);
  EXPECT_EQ(listed()[0].agent, "claude");
  EXPECT_EQ(listed()[0].last_state, JobState::failed);
  EXPECT_EQ(listed(true, true, 2)[0].agent, "") << "as it was then";
  flatbuffers::FlatBufferBuilder builder;
  view::ScheduleT shown = listed()[0];
  shown.last_outcome = schema::DueOutcome::dispatched;
  builder.Finish(view::Schedule::Pack(builder, &shown));
  const auto* row = flatbuffers::GetRoot<view::Schedule>(builder.GetBufferPointer());
  EXPECT_THAT(schedule_json(*row), HasSubstr(R"("last_state":"failed","agent":"claude")"));
  EXPECT_THAT(schedules_table({row}, writer_.now, Form::people).csv(), HasSubstr("failed, "));
  EXPECT_EQ(listed(true, true, 5)[0].last_state, JobState::running);
  set("morning", "vault");
  set("vault", "web");
  due("vault", schema::DueOutcome::dispatched, "job-2");
  writer_.write(0, queued("job-2", "vault", "codex"));
  EXPECT_EQ(listed(true, false).at(0).agent, "") << "of a project that the caller may not see";
}

TEST_F(SchedulesView, ShownWithWhatPeopleNeedToKnow) {
  set("morning", "web");
  due("morning", schema::DueOutcome::refused);
  write("morning", schema::SchedulePausedT{{}, "holidays"});
  const auto rows = listed();
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(view::Schedule::Pack(builder, &rows.at(0)));
  const auto* row = flatbuffers::GetRoot<view::Schedule>(builder.GetBufferPointer());
  const std::string json = schedule_json(*row);
  for (const char* part :
       {R"("name":"morning")", R"("rule":"0 7 * * 1-5","time_zone":"UTC")", R"("next_at":null)",
        R"("last_state":null,"agent":null)", R"("last_outcome":"refused")", R"("note":"no directory")",
        R"("paused_by":"ada","pause_note":"holidays")"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
  const std::string csv = schedules_table({row}, writer_.now, Form::data).csv();
  EXPECT_THAT(csv, HasSubstr("morning,"));
  EXPECT_THAT(schedules_table({row}, writer_.now, Form::people).csv(), HasSubstr("paused by ada"));
}

TEST_F(SchedulesView, ARuleThatCannotBeReadIsSaidInOneLine) {
  set("morning", "web");
  schema::ScheduleSetT fact;
  fact.schedule = "morning";
  fact.project = "web";
  fact.rule = "0 7 * * 1-5";
  fact.fault = "'Mars/Base' is no time zone";
  write("morning", std::move(fact));
  const auto rows = listed();
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(view::Schedule::Pack(builder, &rows.at(0)));
  const auto* row = flatbuffers::GetRoot<view::Schedule>(builder.GetBufferPointer());
  EXPECT_THAT(schedule_json(*row), HasSubstr(R"("fault":"'Mars/Base' is no time zone")"));
  EXPECT_THAT(schedule_json(*row), HasSubstr(R"("next_at":null)"));
  EXPECT_THAT(schedules_table({row}, writer_.now, Form::people).csv(),
              HasSubstr("cannot be read: 'Mars/Base' is no time zone"));
  const std::string narrow = schedules_table({row}, writer_.now, Form::people).text({.width = 80});
  EXPECT_THAT(narrow, testing::AllOf(HasSubstr("cannot be read: 'Mars"), HasSubstr("FAILED")))
      << "when and why say more than counts";
  set("morning", "web");
  EXPECT_EQ(listed().at(0).fault, "");
}

TEST_F(SchedulesView, EventsAreSentences) {
  const auto sentence = [this](schema::DueOutcome outcome) {
    schema::ScheduleDueT fact;
    fact.due_us = kEpoch;
    fact.outcome = outcome;
    fact.job = "job-1";
    fact.missed = 2;
    schema::ScheduleFactUnion fact_union;
    fact_union.Set(std::move(fact));
    return event_text(writer_.add(new_event(schedule_stream("morning"), std::move(fact_union))));
  };
  EXPECT_EQ(
      sentence(schema::DueOutcome::dispatched),
      "schedule morning, due 2026-01-01T00:00:00.000000Z: job job-1 dispatched; 2 earlier due times missed");
  EXPECT_THAT(sentence(schema::DueOutcome::waits), HasSubstr("waits for the end of its last job"));
  EXPECT_THAT(sentence(static_cast<schema::DueOutcome>(99)), HasSubstr("schedule morning"));
}

}  // namespace
}  // namespace luzia::test
