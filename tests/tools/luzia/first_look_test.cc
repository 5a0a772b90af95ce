// What bare luzia shows.
#include "tools/luzia/look/first_look.h"

#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

constexpr TimeUs kFirstAsked = 1'800'000'000 * kSecondUs;

view::QuestionT asked(const std::string& id, const std::string& words) {
  view::QuestionT row;
  row.id = id;
  row.job = "0kx8aaaaaaaaa";
  row.project = "web";
  row.question = words;
  row.asked_us = kFirstAsked;
  return row;
}

struct FirstLookTest : ProgramTest {
  void SetUp() override {
    ProgramTest::SetUp();
    ::setenv("LUZIA_STORE", store_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("LUZIA_STORE");
    ProgramTest::TearDown();
  }
  /// Bare luzia before a daemon that gives this answer.
  Ran bare(const wire::ReplyUnion& overview) const {
    const RecordingDaemon daemon(store_, [&](const auto&) { return std::vector{overview}; });
    return run_as_typed({});
  }
};

TEST_F(FirstLookTest, WhatWaitsComesFirstWithTheCommandThatAnswers) {
  view::ApprovalT gate;
  gate.id = "a-1";
  gate.job = "0kx8bbbbbbbbb";
  gate.gate = "deploy";
  gate.description = "to production";
  gate.asked_us = kFirstAsked - 1;
  view::ProjectTotalsT totals;
  totals.project = "web";
  totals.queued = 1'200;
  view::JobT late = job("0kx8ccccccccc", schema::JobState::failed), old = late;
  late.ended_us = wall_clock();
  old.id = "0kx8ddddddddd";
  old.ended_us = wall_clock() - 2 * kDayUs;
  view::OutcomeDayT recent;
  recent.failed = 4;
  const auto overview = [&](std::initializer_list<wire::ReplyUnion> parts) {
    wire::ReplyUnion all = job_rows({job("0kx8eeeeeeeee", schema::JobState::running), late, old});
    for (const wire::ReplyUnion& part : parts) all = with_part(std::move(all), part);
    return all;
  };
  const Ran ran = bare(overview(
      {rows_of<view::QuestionT>({asked("q-1", "one?\x1b[2J"), asked("q-2", "two?"), asked("q-3", "three?")},
                                wire::RowType::question),
       rows_of<view::ApprovalT>({gate}, wire::RowType::approval),
       rows_of<view::ProjectTotalsT>({totals}, wire::RowType::totals),
       rows_of<view::OutcomeDayT>({recent}, wire::RowType::outcome_day)}));
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("4 things wait for you:\n"
                                  "  0kx8bbbbbbbbb  approve deploy: to production  luzia approve a-1\n"
                                  "  0kx8aaaaaaaaa  one?"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("  luzia answer q-2 "), Not(HasSubstr("three?")),
                             HasSubstr("  and 1 more: luzia inbox\n"
                                       "4 failures in the last 24 hours:\n"
                                       "  0kx8ccccccccc  exit code 7  luzia why 0kx8ccccccccc\n"
                                       "  and 3 more: luzia status\n"
                                       "1 running, 1,200 queued: luzia status\n"
                                       "\nluzia help lists the commands.\n"),
                             Not(HasSubstr("usage:")), Not(HasSubstr("\x1b[2J"))));
}

TEST_F(FirstLookTest, AlertSaysWhyJobsWait) {
  view::AlertT alert;
  alert.alert = "login_refused:claude";
  alert.message = "agent claude is parked: its service refuses its login";
  const auto jobs = job_rows({job("0kx8eeeeeeeee", schema::JobState::running)});
  EXPECT_THAT(bare(with_part(jobs, rows_of<view::AlertT>({alert}, wire::RowType::alert))).out,
              StartsWith("1 alert: luzia status --alerts\n"
                         "  agent claude is parked: its service refuses its login\n"
                         "1 running: luzia status\n"));
}

TEST_F(FirstLookTest, QuietStoreSaysSo) {
  view::ProjectTotalsT totals;
  totals.project = "web";
  totals.completed = 3;
  EXPECT_THAT(
      bare(with_part(job_rows({}), rows_of<view::ProjectTotalsT>({totals}, wire::RowType::totals))).out,
      StartsWith("Nothing waits for you, and nothing runs.\n"));
  EXPECT_THAT(bare(refused("views_rebuilding", ErrorKind::trouble)).out,
              StartsWith("The daemon cannot tell now what waits: luzia status says why.\n"));
}

TEST_F(FirstLookTest, EmptyStoreSaysWhatToTypeFirst) {
  const std::vector<view::ProjectTotalsT> none;
  EXPECT_THAT(bare(with_part(job_rows({}), rows_of(none, wire::RowType::totals))).out,
              StartsWith("No job has run here yet."));
}

TEST_F(FirstLookTest, MistakeInTheConfigurationIsNamed) {
  ::unsetenv("LUZIA_STORE");
  configure("[queue\n");
  const Ran ran = run_as_typed({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "The configuration cannot be read: luzia config check\n\nluzia help lists the commands.\n");
}

TEST_F(FirstLookTest, OnlyBareLuziaLooks) {
  EXPECT_THAT(run_as_typed({"help"}).out, StartsWith("luzia runs coding agents"));
  EXPECT_THAT(run_as_typed({}).out, StartsWith("No job has run here yet."));
}

}  // namespace
}  // namespace luzia
