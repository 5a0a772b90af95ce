#include "projections/rows/table.h"

#include "engine/base/local_time.h"
#include "projections/rows/event_text.h"
#include "projections/rows/export_table.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/stats.h"
#include "tests/matchers.h"
#include "tests/projections/rows/start_time.h"

namespace luzia::test {
namespace {

Table small_table() {
  Table table({{"ID"}, {"N", Align::right, 1}, {.title = "TEXT", .min_width = 4, .shrinks = true}});
  table.add({{"a"}, {"1"}, {"short"}});
  table.add({{"bcd"}, {"10"}, {"a rather long text"}});
  return table;
}

TEST(Table, ColumnsAlignAndLinesEndWithoutBlanks) {
  EXPECT_EQ(small_table().text({}),
            "ID    N  TEXT\n"
            "a     1  short\n"
            "bcd  10  a rather long text\n");
}

TEST(Table, WideTableShrinksItsShrinkableColumns) {
  EXPECT_EQ(small_table().text({.width = 20}),
            "ID    N  TEXT\n"
            "a     1  short\n"
            "bcd  10  a rather l\u2026\n");
  EXPECT_EQ(small_table().text({.width = 20, .unicode = false}),
            "ID    N  TEXT\n"
            "a     1  short\n"
            "bcd  10  a rather l~\n");
  EXPECT_EQ(small_table().text({.width = 3}),
            "ID\n"
            "a\n"
            "bcd\n");
}

TEST(Table, RowsOfJobsAreNumberedAndTheirBeginningsUnderlined) {
  Table table({{"STATE"}, {"JOB"}});
  table.add({{"failed"}, {"1qfar2zr00c6x", Colour::bold}});
  table.add({{"queued"}, {"1qfb", Colour::bold}});
  JobRows rows;
  rows.beginnings["1qfar2zr00c6x"] = 4;
  EXPECT_EQ(table.text({.jobs = &rows}), " %  STATE   JOB\n%1  failed  1qfar2zr00c6x\n%2  queued  1qfb\n");
  EXPECT_THAT(table.text({.jobs = &rows}), HasSubstr("%3  failed")) << "the next table goes on";
  EXPECT_THAT(table.text({.colour = true, .jobs = &rows}),
              AllOf(HasSubstr("\x1b[2m%5\x1b[0m  failed  \x1b[4m\x1b[1m1qfa\x1b[0mr2zr00c6x\n"),
                    HasSubstr("\x1b[2m%6\x1b[0m  queued  \x1b[1m1qfb\x1b[0m\n")));
  EXPECT_THAT(rows.jobs, SizeIs(6));
  EXPECT_EQ(rows.jobs[4], "1qfar2zr00c6x");
  EXPECT_EQ(table.csv(), "STATE,JOB\r\nfailed,1qfar2zr00c6x\r\nqueued,1qfb\r\n");
  EXPECT_EQ(small_table().text({.jobs = &rows}), small_table().text({})) << "no jobs, no numbers";
}

TEST(Table, LongTextDoesNotPadRowsWithoutAWidth) {
  Table table({{"ID"}, {.title = "TEXT", .shrinks = true}, {.title = "WHY", .shrinks = true}});
  table.add({{"a"}, {std::string(100'000, 'x')}, {"long"}});
  table.add({{"b"}, {"short"}, {"too"}});
  EXPECT_EQ(table.text({.unicode = false}), "ID  TEXT" + std::string(118, ' ') + "WHY\n" +      //
                                                "a   " + std::string(119, 'x') + "~  long\n" +  //
                                                "b   short" + std::string(117, ' ') + "too\n");
  EXPECT_THAT(table.csv(), HasSubstr(std::string(100'000, 'x'))) << "data stays whole";
  EXPECT_THAT(table.text({.width = 300, .unicode = false}), HasSubstr(std::string(200, 'x')))
      << "a wide terminal shows more";
}

TEST(Table, ColumnsAreDroppedBeforeTextIsCut) {
  Table table({{"ID"},
               {.title = "EMPTY", .drops = 9},
               {.title = "SECOND", .drops = 2},
               {.title = "FIRST", .drops = 1},
               {.title = "TEXT", .min_width = 6, .shrinks = true}});
  table.add({{"a"}, {""}, {"two"}, {"one"}, {"long enough"}});
  const auto header = [&](std::size_t width) {
    const std::string text = table.text({.width = width});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(header(0), "ID  EMPTY  SECOND  FIRST  TEXT");
  EXPECT_EQ(header(37), "ID  EMPTY  SECOND  FIRST  TEXT");
  EXPECT_EQ(header(36), "ID  SECOND  FIRST  TEXT") << "a column without text goes first";
  EXPECT_EQ(header(25), "ID  SECOND  FIRST  TEXT") << "then text gives way";
  EXPECT_EQ(header(24), "ID  SECOND  TEXT");
  EXPECT_EQ(header(17), "ID  TEXT");
  EXPECT_EQ(header(3), "ID");
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    widest = std::max(widest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(Table, RealNumbersAreShownShortAndWrittenWhole) {
  Table table({{"NAME"}, {"VALUE", Align::right}});
  const std::pair<const char*, const char*> numbers[] = {
      {"0.6666666666666666", "0.667"}, {"-12345.678912", "-12345.679"},
      {"0.00012345", "0.000123"},      {"0.1000000000000001", "0.1"},
      {"61.000000001", "61"},          {"12.5", "12.5"},
      {"1234567", "1234567"},          {"0.0000", "0"},
      {"2026.11.27", "2026.11.27"},    {"0.0000001", "1e-07"}};
  for (const auto& [number, shown] : numbers) table.add({{std::string(number)}, {std::string(number)}});
  const std::string text = table.text({}), csv = table.csv();
  for (const auto& [number, shown] : numbers) {
    EXPECT_THAT(text, testing::ContainsRegex(std::string(number) + " +" + shown + "\n")) << number;
    EXPECT_THAT(csv, HasSubstr(std::string(number) + "," + number));
  }
}

TEST(Table, WhatSaysMostAtItsEndIsCutInTheMiddle) {
  Table table({{"JOB"}, {.title = "WHY", .shrinks = true, .keeps_end = true}});
  table.add({{std::string("k1")}, {std::string("exit code 1: the tests ran: assert total == 3")}});
  EXPECT_EQ(table.text({.width = 34}), "JOB  WHY\nk1   exit code \u2026 assert total == 3\n");
}

TEST(Table, AgentTextCannotBreakLinesOrColors) {
  Table table({{"TEXT"}, {"NEXT"}});
  table.add({{"\x1b[31m\nx\xff"}, {"y"}});
  EXPECT_EQ(table.text({}),
            "TEXT      NEXT\n"
            "\u241b[31m\u240ax\uFFFD  y\n");
}

TEST(Table, ColorsSurroundTheTextOnly) {
  Table table({{"A"}, {"B", Align::right}});
  table.add({{"x", Colour::red}, {"1"}});
  EXPECT_EQ(table.text({.colour = true}),
            "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n"
            "\x1b[31mx\x1b[0m  1\n");
}

TEST(Table, WideCharactersTakeTwoColumns) {
  Table table({{"A"}, {"B"}});
  table.add({{"\u65e5\u672c"}, {"x"}});
  table.add({{"abcd"}, {"y"}});
  EXPECT_EQ(table.text({}),
            "A     B\n"
            "\u65e5\u672c  x\n"
            "abcd  y\n");
}

TEST(Csv, QuotesOnlyWhereNeededAndKeepsTextAsItIs) {
  Table table({{"a"}, {"b"}});
  table.add({{"plain"}, {"with, comma"}});
  table.add({{"say \"hi\""}, {"two\nlines"}});
  table.add({{"=1+1"}, {"\xff"}});
  EXPECT_EQ(table.csv(),
            "a,b\r\n"
            "plain,\"with, comma\"\r\n"
            "\"say \"\"hi\"\"\",\"two\nlines\"\r\n"
            "'=1+1,\uFFFD\r\n");
}

TEST(Csv, FormulasBecomeText) {
  for (const char* formula : {"=cmd|' /C calc'!A0", "+1+1", "-1+1", "-", "-x", "-nan", "@SUM(A1)", "\t=1"}) {
    EXPECT_EQ(csv_record({formula}), "'" + std::string(formula) + "\r\n");
  }
  EXPECT_EQ(csv_record({"\r=1"}), "\"'\r=1\"\r\n");
  for (const char* number : {"-5", "-0.25", "-1e-07", "-1e+300", "-inf", "5", "", "a=1"}) {
    EXPECT_EQ(csv_record({number}), std::string(number) + "\r\n");
  }
}

view::JobT job_row() {
  view::JobT job;
  job.id = "k000000000001";
  job.project = "alpha";
  job.task = "build it";
  job.agent = "shell";
  job.state = schema::JobState::running;
  job.attempt = job.attempts = 1;
  job.priority = 5;
  job.queued_us = kStart;
  job.started_us = job.first_started_us = kStart + kSecondUs;
  job.progress = std::make_unique<view::ProgressT>();
  job.progress->percent = 40.0;
  job.progress->current_step = 2;
  job.progress->total_steps = 5;
  job.last_line = "compiling";
  return job;
}

TEST(RowTables, JobsForPeople) {
  view::JobT failed = job_row();
  failed.id = "k000000000002";
  failed.state = schema::JobState::failed;
  failed.exit_code = 2;
  failed.last_line = "  compiling";
  failed.ended_us = kStart + 5 * kSecondUs;
  failed.progress.reset();
  const std::string first = row_bytes(job_row()), second = row_bytes(failed);
  const Table table =
      jobs_table({verified_row<view::Job>(as_bytes(first)), verified_row<view::Job>(as_bytes(second))},
                 kStart + 91 * kSecondUs);
  EXPECT_EQ(table.text({.width = 100}),
            "JOB            STATE    PROJECT  AGENT   TIME      DONE  TASK      DETAIL\n"
            "k000000000001  running  alpha    shell  1m30s  40 % 2/5  build it  compiling\n"
            "k000000000002  failed   alpha    shell   4.0s            build it  exit code 2: compiling\n");
}

std::string people_see(const view::JobT& job) {
  const std::string bytes = row_bytes(job);
  const auto* row = verified_row<view::Job>(as_bytes(bytes));
  return jobs_table({row}, kStart).text({}) + job_card(*row, kStart, {});
}

TEST(RowTables, FailedJobShowsItsFirstCause) {
  view::JobT failed = job_row();
  failed.state = schema::JobState::failed;
  failed.exit_code = 2;
  failed.last_line = "make: *** [all] Error 2";
  EXPECT_THAT(people_see(failed), HasSubstr(": make: *** [all] Error 2\n"));
  view::JobT zeros = failed;
  zeros.last_line = std::string(3, '\0');
  const std::string bytes = row_bytes(zeros);
  EXPECT_EQ(end_detail_text(*verified_row<view::Job>(as_bytes(bytes))), "exit code 2");
  failed.failure = std::make_unique<view::FailureT>();
  failed.failure->summary = "a.cc:3: no such header";
  failed.failure->first_line = 7;
  failed.failure->offset = 70;
  EXPECT_THAT(people_see(failed), AllOf(HasSubstr("  a.cc:3: no such header\n"),
                                        HasSubstr("failure     a.cc:3: no such header\n"),
                                        HasSubstr("line 7 of the output, at byte 70\n")));
}

TEST(RowTables, NarrowListStillSaysWhyAJobFailed) {
  view::JobT failed = job_row();
  failed.state = schema::JobState::failed;
  failed.exit_code = 1;
  failed.task = "run all the tests of the shop and mend what is red";
  failed.failure = std::make_unique<view::FailureT>();
  failed.failure->summary = "No module named 'requests'";
  const std::string bytes = row_bytes(failed);
  const std::string text =
      jobs_table({verified_row<view::Job>(as_bytes(bytes))}, kStart + 91 * kSecondUs).text({.width = 72});
  EXPECT_THAT(text, AllOf(HasSubstr("No mod"), HasSubstr("'requests'"), Not(HasSubstr("AGENT"))));
}

TEST(RowTables, NarrowQueueSaysWhyAJobWaits) {
  view::QueueEntryT entry;
  entry.job = "k000000000001";
  entry.project = "alpha";
  entry.agent = "claude";
  entry.queued_us = kStart;
  entry.blocked_why = "waits for a login: that of agent claude is refused";
  const std::string bytes = row_bytes(entry);
  const std::string text =
      queue_table({verified_row<view::QueueEntry>(as_bytes(bytes))}, kStart).text({.width = 66});
  EXPECT_THAT(text, AllOf(HasSubstr("AGENT"), HasSubstr("is refused\n"), Not(HasSubstr("PRIORITY"))));
}

TEST(RowTables, CompletedJobShowsNoProgress) {
  view::JobT done = job_row();
  done.state = schema::JobState::completed;
  EXPECT_THAT(people_see(done), Not(HasSubstr("40 %")));
  done.state = schema::JobState::failed;
  EXPECT_THAT(people_see(done), HasSubstr("40 %")) << "its last progress";
}

TEST(RowTables, WaitingJobShowsWhatIsOpen) {
  view::JobT job = job_row();
  job.state = schema::JobState::waiting;
  job.questions_open = 2;
  EXPECT_THAT(people_see(job), testing::HasSubstr("  2 open questions\n"));
  job.approvals_open = 1;
  EXPECT_THAT(people_see(job), testing::HasSubstr("  2 open questions, 1 open approval\n"));
}

TEST(RowTables, ScheduledJobShowsItsTime) {
  view::JobT later = job_row();
  later.state = schema::JobState::queued;
  later.not_before_us = kStart + kHourUs;
  view::JobT parked = job_row();
  parked.state = schema::JobState::parked;
  parked.parked_until_us = kStart + 2 * kHourUs;
  const std::string first = row_bytes(later), second = row_bytes(parked);
  const std::string text =
      jobs_table({verified_row<view::Job>(as_bytes(first)), verified_row<view::Job>(as_bytes(second))},
                 kStart)
          .text({});
  EXPECT_THAT(text, HasSubstr("not before " + local_time(kStart + kHourUs, TimePart::minute)));
  EXPECT_THAT(text, HasSubstr("parked until " + local_time(kStart + 2 * kHourUs, TimePart::minute)));
}

TEST(RowTables, LinesFitTheTerminal) {
  view::JobT job = job_row();
  job.project = "\u65e5\u672c\u8a9e\u306e\u30d7\u30ed\u30b8\u30a7\u30af\u30c8";
  job.task = "\u4fee\u6b63 the failing test \u0301 and " + std::string(100, 'x');
  job.last_line = "\U0001f600 compiling everything there is to compile";
  view::QueueEntryT entry;
  entry.job = job.id;
  entry.project = job.project;
  entry.agent = "claude";
  entry.after = {job.id, job.id};
  view::DurationsT durations;
  durations.project = job.project;
  durations.measure = "queue_wait";
  durations.agent = "claude";
  durations.count = 3;
  const std::string bytes[] = {row_bytes(job), row_bytes(entry), row_bytes(durations)};
  const Table tables[] = {jobs_table({verified_row<view::Job>(as_bytes(bytes[0]))}, kStart),
                          queue_table({verified_row<view::QueueEntry>(as_bytes(bytes[1]))}, kStart),
                          durations_table({verified_row<view::Durations>(as_bytes(bytes[2]))})};
  for (std::size_t width = 1; width < 240; ++width) {
    for (const Table& table : tables) {
      for (const bool unicode : {false, true}) {
        ASSERT_LE(widest_line(table.text({.width = width, .unicode = unicode})), width);
      }
    }
  }
  EXPECT_NE(tables[0].text({.width = 60}).find("TASK"), std::string::npos)
      << "people recognize a job by its task";
}

TEST(RowTables, JobsAsDataHaveTheColumnsOfTheExport) {
  const std::string bytes = row_bytes(job_row());
  const std::string csv = jobs_table({verified_row<view::Job>(as_bytes(bytes))}, kStart, Form::data).csv();
  const std::string header = csv.substr(0, csv.find("\r\n") + 2);
  EXPECT_EQ(header, export_header_csv(*find_export_table("jobs")));
  const std::string line = csv.substr(header.size());
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(header.begin(), header.end(), ','));
  EXPECT_TRUE(line.starts_with("k000000000001,alpha,shell,,running,")) << line;
}

TEST(RowTables, FlowsAsDataHaveTheColumnsOfTheExport) {
  view::FlowT flow;
  flow.id = "f-1";
  flow.steps.push_back(std::make_unique<view::FlowStepT>());
  flow.steps.back()->state = schema::StepState::skipped;
  const std::string bytes = row_bytes(flow);
  const std::string csv = flows_data({verified_row<view::Flow>(as_bytes(bytes))}, kStart).csv();
  const std::string header = export_header_csv(*find_export_table("flows"));
  ASSERT_TRUE(csv.starts_with(header)) << csv;
  EXPECT_EQ(csv.substr(header.size()).find("f-1,,,active,1,0,0,"), 0u) << csv;
  EXPECT_TRUE(csv.ends_with(",1\r\n")) << csv;
}

TEST(RowTables, QueueAsDataHasNumbersForYesAndNo) {
  view::QueueEntryT entry;
  entry.position = 1;
  entry.job = "k1";
  entry.held = true;
  entry.after = {"k2", "k3"};
  const std::string bytes = row_bytes(entry);
  const std::string csv =
      queue_table({verified_row<view::QueueEntry>(as_bytes(bytes))}, kStart, Form::data).csv();
  EXPECT_TRUE(csv.starts_with("position,job,project,agent,priority,queued_at,held,after,blocked_by")) << csv;
  EXPECT_NE(csv.find("\r\n1,k1,,,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",1,\"k2,k3\","), std::string::npos) << csv;
}

template <class Native>
void expect_rectangular(const Native& row,
                        const std::function<Table(const typename Native::TableType*, Form)>& make) {
  const std::string bytes = row_bytes(row);
  for (const Form form : {Form::people, Form::data}) {
    const std::string csv = make(verified_row<typename Native::TableType>(as_bytes(bytes)), form).csv();
    const std::string header = csv.substr(0, csv.find("\r\n"));
    const std::string line = csv.substr(header.size() + 2);
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(header.begin(), header.end(), ','))
        << csv;
  }
}

TEST(RowTables, EveryRowHasACellPerColumn) {
  expect_rectangular(view::QueueEntryT{},
                     [](auto* row, Form form) { return queue_table({row}, kStart, form); });
  expect_rectangular(view::ActivityT{}, [](auto* row, Form form) { return activity_table({row}, form); });
  expect_rectangular(view::JobT{}, [](auto* row, Form form) { return jobs_table({row}, kStart, form); });
}

TEST(RowTables, DurationsBelowASecondAreMilliseconds) {
  view::DurationsT row;
  row.measure = "run";
  row.count = 2;
  row.sum_ms = 2'012;
  row.min_ms = 12;
  row.max_ms = 2'000;
  const std::string bytes = row_bytes(row);
  const std::string shown = durations_table({verified_row<view::Durations>(as_bytes(bytes))}).text({});
  EXPECT_NE(shown.find(" 1.0s "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" 12 ms "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" 2.0s"), std::string::npos) << shown;
  view::ProjectTotalsT totals;
  totals.busy_us = 40'000;
  const std::string total = row_bytes(totals);
  const auto* project = verified_row<view::ProjectTotals>(as_bytes(total));
  EXPECT_NE(stats_text({{project}, {}, 0}, {}).find(" 40 ms"), std::string::npos);
}

TEST(JobCard, ShowsWhatIsKnownAndNothingElse) {
  const std::string bytes = row_bytes(job_row());
  EXPECT_EQ(job_card(*verified_row<view::Job>(as_bytes(bytes)), kStart + 11 * kSecondUs, {}),
            "job         k000000000001\n"
            "state       running\n"
            "project     alpha\n"
            "agent       shell\n"
            "task        build it\n"
            "priority    5\n"
            "queued      2026-01-01 00:00:00Z\n"
            "started     2026-01-01 00:00:01Z\n"
            "time        10s\n"
            "progress    40 %, step 2 of 5\n"
            "output      0 bytes, 0 lines\n"
            "last line   compiling\n");
}

TEST(JobCard, WrapsTheStateInsteadOfCuttingIt) {
  view::JobT job = job_row();
  job.state = schema::JobState::failed;
  job.reason = schema::EndReason::verify_failed;
  job.reason_detail = "exit code 0, but the check 'make test' failed: exit 2: assert total == 3";
  const std::string bytes = row_bytes(job);
  const std::string card =
      job_card(*verified_row<view::Job>(as_bytes(bytes)), kStart + 11 * kSecondUs, {.width = 60});
  EXPECT_LE(widest_line(card), 60U);
  EXPECT_THAT(card, HasSubstr("\nstate       failed (exit code 0, but"));
  EXPECT_THAT(card, testing::ContainsRegex("\n            [^\n]*total == 3\\)\n")) << card;
}

TEST(WhyText, GivesEachEventItsCauseAndEvidence) {
  schema::EventT first, second;
  first.position = 9;
  first.time_us = kStart;
  first.stream = "job/k1";
  first.payload = std::move(job_event("k1", schema::AttemptStartingT{}).payload);
  first.payload.AsJobEvent()->fact.AsAttemptStarting()->attempt = 1;
  second.position = 10;
  second.cause = 9;
  second.time_us = kStart + 1000;
  second.payload = std::move(job_event("k1", schema::WarningReportedT{}).payload);
  second.payload.AsReportEvent()->fact.AsWarningReported()->message = "slow \x1b[2J";
  second.evidence = std::make_unique<schema::EvidenceT>();
  second.evidence->kind = schema::EvidenceKind::inferred;
  second.evidence->attempt = 1;
  second.evidence->log_to = 5;
  second.evidence->rule = "workflow";
  const std::string a = row_bytes(first), b = row_bytes(second);
  EXPECT_EQ(
      why_text({flatbuffers::GetRoot<schema::Event>(a.data()), flatbuffers::GetRoot<schema::Event>(b.data())},
               {}),
      "2026-01-01 00:00:00.000Z  #9   attempt 1 is starting\n"
      "                               asserted by daemon\n"
      "2026-01-01 00:00:00.001Z  #10  warning: slow \u241b[2J\n"
      "                               because of #9; seen in output.log of attempt 1 at bytes 0-5 "
      "(workflow)\n");
}

TEST(WhyText, UnlistedCauseSaysSo) {
  schema::EventT first, second;
  first.position = 9;
  first.payload = std::move(job_event("k1", schema::AttemptStartingT{}).payload);
  second = first;
  second.position = 12;
  second.cause = 10;
  const std::string a = row_bytes(first), b = row_bytes(second);
  EXPECT_THAT(
      why_text({flatbuffers::GetRoot<schema::Event>(a.data()), flatbuffers::GetRoot<schema::Event>(b.data())},
               {}),
      HasSubstr("because of #10 (not in this list); asserted by daemon\n"));
  EXPECT_THAT(why_text({flatbuffers::GetRoot<schema::Event>(b.data())}, {}, {9, 10}),
              HasSubstr("because of #10; asserted by daemon\n"));
}

TEST(WhyText, FindingsFollowFromTheirOutput) {
  schema::EventT found;
  found.position = 12;
  found.cause = 10;
  found.payload = std::move(job_event("k1", schema::WarningReportedT{}).payload);
  found.evidence = std::make_unique<schema::EvidenceT>();
  found.evidence->kind = schema::EvidenceKind::inferred;
  found.evidence->log_to = 20;
  const std::string bytes = row_bytes(found);
  EXPECT_THAT(why_text({flatbuffers::GetRoot<schema::Event>(bytes.data())}, {}),
              HasSubstr("because of #10 (output that was read); seen in output.log"));
}

/// An event at position 9 about question q-1.
template <typename Fact>
schema::EventT of_question(Fact fact) {
  fact.question = "q-1";
  schema::QuestionEventT domain;
  domain.fact.Set(std::move(fact));
  schema::EventT event;
  event.position = 9;
  event.payload.Set(std::move(domain));
  return event;
}

TEST(WhyText, AnswerFollowsThePerson) {
  schema::EventT event = of_question(schema::QuestionAnsweredT{});
  event.actor = std::make_unique<schema::ActorT>();
  event.actor->name = "ana";
  const std::string bytes = row_bytes(event);
  const std::vector<const schema::Event*> events = {flatbuffers::GetRoot<schema::Event>(bytes.data())};
  EXPECT_TRUE(tells_of_questions(events));
  view::QuestionT row;
  row.id = "q-1";
  row.answer = "stag\x1b[2Jing";
  const std::string question = row_bytes(row);
  const auto answers = question_words({flatbuffers::GetRoot<view::Question>(question.data())});
  EXPECT_THAT(why_text(events, {}, {}, answers),
              HasSubstr("question q-1 was answered by ana: stag\u241b[2Jing\n"));
  EXPECT_THAT(why_text(events, {}), HasSubstr("question q-1 was answered by ana\n"));
}

TEST(WhyText, QuestionTextIsBoundedAndSanitized) {
  const std::string bytes = row_bytes(of_question(schema::QuestionAskedT{}));
  const std::vector<const schema::Event*> events = {flatbuffers::GetRoot<schema::Event>(bytes.data())};
  EXPECT_TRUE(tells_of_questions(events));
  view::QuestionT row;
  row.id = "q-1";
  row.question = "Where\n\x1b[2J" + std::string(1'000, 'x');
  const std::string question = row_bytes(row);
  const std::string told =
      why_text(events, {}, {}, question_words({flatbuffers::GetRoot<view::Question>(question.data())}));
  EXPECT_THAT(told, HasSubstr("(q-1): Where"));
  EXPECT_THAT(told, HasSubstr("\u241b[2Jxxx"));
  EXPECT_THAT(told, Not(HasSubstr(std::string(200, 'x'))));
}

TEST(WhyText, EventsOfAnotherJobNameIt) {
  schema::EventT other, own;
  other.position = 9;
  other.stream = "job/k1";
  other.payload = std::move(job_event("k1", schema::AttemptStartingT{}).payload);
  own = other;
  own.position = 10;
  own.stream = "job/k2";
  const std::string a = row_bytes(other), b = row_bytes(own);
  const std::vector<const schema::Event*> events = {flatbuffers::GetRoot<schema::Event>(a.data()),
                                                    flatbuffers::GetRoot<schema::Event>(b.data())};
  const std::string told = why_text(events, {}, {}, {}, explained_job(events));
  EXPECT_THAT(told, HasSubstr("#9   job k1: attempt 0 is starting\n"));
  EXPECT_THAT(told, HasSubstr("#10  attempt 0 is starting\n"));
}

TEST(WhyText, LateObservedEndShowsItsTime) {
  schema::AttemptEndedT fact;
  fact.attempt = 1;
  fact.exit_code = 3;
  fact.ended_us = kStart + kSecondUs;
  fact.wall_us = kSecondUs;
  schema::EventT event;
  event.position = 9;
  event.payload = std::move(job_event("k1", std::move(fact)).payload);
  const auto told = [&](TimeUs heard) {
    event.time_us = heard;
    const std::string bytes = row_bytes(event);
    return event_text(*flatbuffers::GetRoot<schema::Event>(bytes.data()));
  };
  EXPECT_EQ(told(kStart + 2 * kSecondUs), "attempt 1 ended: exit code 3, ran 1.0s");
  EXPECT_EQ(told(kStart + 60 * kSecondUs),
            "attempt 1 ended at 2026-01-01T00:00:01.000000Z, which is seen now: exit code 3, ran 1.0s");
}

TEST(WhyText, DaemonsActionsAreNotAssertedByPeople) {
  schema::EventT event;
  event.position = 9;
  event.payload = std::move(job_event("k1", schema::AttemptStartingT{}).payload);
  event.actor = std::make_unique<schema::ActorT>();
  event.actor->name = "ana";
  const auto told = [&](schema::ActorKind kind) {
    event.actor->kind = kind;
    const std::string bytes = row_bytes(event);
    return why_text({flatbuffers::GetRoot<schema::Event>(bytes.data())}, {});
  };
  EXPECT_THAT(told(schema::ActorKind::daemon), HasSubstr(" asserted by daemon for ana\n"));
  EXPECT_THAT(told(schema::ActorKind::person), HasSubstr(" asserted by ana\n"));
}

}  // namespace
}  // namespace luzia::test
