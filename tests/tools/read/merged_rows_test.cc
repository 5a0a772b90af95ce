#include "tools/read/merged_rows.h"

#include <gmock/gmock.h>

#include "projections/rows/overview.h"
#include "tests/tools/read/rows_of_machines.h"

namespace luzia::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RowMachines two_machines() {
  RowMachines machines;
  machines.now = 1'000 * kSecondUs;
  machines.machines = {{.name = "local"}, {.name = "far"}};
  return machines;
}

MergedRows merged_of(wire::View view, std::size_t limit, RowPage here, RowPage far, RowMachines& machines) {
  wire::QueryT query = view_query(view);
  query.limit = static_cast<std::uint32_t>(limit);
  return merged_rows(query, limit, {{0, std::move(here)}, {1, std::move(far)}}, machines);
}

TEST(MergedRows, JobsAreListedNewestFirstUpToTheLimit) {
  RowMachines machines = two_machines();
  const MergedRows merged = merged_of(wire::View::jobs, 3, page_of({job_row("5"), job_row("2")}),
                                      page_of({job_row("4"), job_row("3")}), machines);
  EXPECT_THAT(ids_of(merged.page), ElementsAre("5", "4", "3"));
  EXPECT_TRUE(merged.is_cut);
  EXPECT_EQ(machines.find("4")->name, "far");
  EXPECT_EQ(machines.find("5")->name, "local");
  EXPECT_EQ(machines.find("9"), nullptr);
}

TEST(MergedRows, JobsByTheirEndsAreListedLastEndFirst) {
  const auto ended_job = [](const std::string& id, TimeUs ended_us) {
    view::JobT row;
    row.id = id;
    row.ended_us = ended_us;
    return row_bytes(row);
  };
  RowMachines machines = two_machines();
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended_since_us = 1;
  const MergedRows merged = merged_rows(query, 3,
                                        {{0, page_of({ended_job("2", 40), ended_job("5", 10)})},
                                         {1, page_of({ended_job("3", 30), ended_job("4", 20)})}},
                                        machines);
  EXPECT_THAT(ids_of(merged.page), ElementsAre("2", "3", "4"));
}

TEST(MergedRows, MachineThatLeftOutRowsMakesTheListCut) {
  RowMachines machines = two_machines();
  RowPage far = page_of({job_row("4")});
  far.next = "4";
  const MergedRows merged =
      merged_of(wire::View::jobs, 50, page_of({job_row("5")}), std::move(far), machines);
  EXPECT_TRUE(merged.is_cut);
  EXPECT_THAT(merged.page.next, IsEmpty()) << "a cursor is of one machine";
}

TEST(MergedRows, RowOfTwoMachinesIsThatOfTheFirst) {
  RowMachines machines = two_machines();
  const MergedRows merged = merged_of(wire::View::jobs, 0, page_of({job_row("5")}),
                                      page_of({job_row("5"), job_row("4")}), machines);
  EXPECT_THAT(ids_of(merged.page), ElementsAre("5", "4"));
  EXPECT_EQ(machines.find("5")->name, "local") << "this machine may be configured as another one, too";
  EXPECT_TRUE(machines.also_of_id.contains("5"));
  EXPECT_FALSE(machines.also_of_id.contains("4"));
}

RowMachines here_and_two() {
  RowMachines machines = two_machines();
  machines.machines.push_back({.name = "other"});
  return machines;
}

MergedRows jobs_of_two(const std::string& far, const std::string& other, RowMachines& machines) {
  return merged_rows(view_query(wire::View::jobs), 0,
                     {{1, page_of({job_row(far)})}, {2, page_of({job_row(other)})}}, machines);
}

TEST(MergedRows, NoMachineHidesTheRowsOfALaterOne) {
  RowMachines machines = here_and_two();
  const MergedRows merged = jobs_of_two("5", "5", machines);
  EXPECT_THAT(ids_of(merged.page), ElementsAre("5", "5")) << "either may be the honest one";
  EXPECT_EQ(machines.find("5")->name, "far or other");
  jobs_of_two("5", "5", machines);
  EXPECT_EQ(machines.find("5")->name, "far or other") << "each is named once";
}

TEST(MergedRows, JobStaysWithTheMachineThatHadItFirst) {
  RowMachines machines = here_and_two();
  machines.first_seen = {{"5", 2}};
  const MergedRows merged = jobs_of_two("5", "5", machines);
  EXPECT_THAT(ids_of(merged.page), SizeIs(1));
  EXPECT_EQ(machines.find("5")->name, "other");
  EXPECT_EQ(machines.also_of_id.at("5"), 1u);
  RowMachines silent = here_and_two();
  silent.first_seen = {{"5", 2}};
  EXPECT_THAT(ids_of(jobs_of_two("5", "6", silent).page), ElementsAre("6")) << "the owner says nothing now";
  EXPECT_EQ(silent.find("5")->name, "other");
}

TEST(MergedRows, QuestionAboutAnotherMachinesJobIsLeftOut) {
  const auto question = [](const std::string& id, const std::string& job) {
    view::QuestionT row;
    row.id = id;
    row.job = job;
    return row_bytes(row);
  };
  RowMachines machines = two_machines();
  const MergedRows merged =
      merged_of(wire::View::questions, 0, page_of({question("q-1", "a")}, wire::RowType::question),
                page_of({question("q-2", "a"), question("q-3", "b")}, wire::RowType::question), machines);
  const auto rows = rows_of<view::Question>(merged.page);
  ASSERT_TRUE(rows);
  std::vector<std::string> ids;
  for (const view::Question* row : *rows) ids.emplace_back(text(row->id()));
  EXPECT_THAT(ids, testing::UnorderedElementsAre("q-1", "q-3")) << "it would be shown as the words of local";
}

TEST(MergedRows, QuestionOfTheSameIdHidesNoOther) {
  const auto question = [](const std::string& job) {
    view::QuestionT row;
    row.id = "q-1";
    row.job = job;
    return page_of({row_bytes(row)}, wire::RowType::question);
  };
  RowMachines machines = two_machines();
  const MergedRows merged = merged_of(wire::View::questions, 0, question("a"), question("b"), machines);
  EXPECT_THAT(merged.page.rows, SizeIs(2)) << "a machine chooses its ids";
}

TEST(MergedRows, IdsThatAreNoneAreRefused) {
  for (const char* id : {"--all", "5 --all", "5\n6"}) {
    EXPECT_FALSE(check_rows(view_query(wire::View::jobs), page_of({job_row(id)}))) << id;
  }
  view::ApprovalT gate;
  gate.id = "f-20251127/sign off";  // of a flow's step
  EXPECT_TRUE(
      check_rows(view_query(wire::View::approvals), page_of({row_bytes(gate)}, wire::RowType::approval)));
  gate.id = "--all";
  EXPECT_FALSE(
      check_rows(view_query(wire::View::approvals), page_of({row_bytes(gate)}, wire::RowType::approval)));
}

TEST(MergedRows, OpenQuestionsComeFirstTheOldestOnTop) {
  const auto question = [](const std::string& job, TimeUs asked, view::QuestionState state) {
    view::QuestionT row;
    row.id = "q-" + job;
    row.job = job;
    row.asked_us = asked;
    row.state = state;
    return row_bytes(row);
  };
  using enum view::QuestionState;
  RowMachines machines = two_machines();
  const MergedRows merged = merged_of(
      wire::View::questions, 0,
      page_of({question("a", 20, open), question("b", 5, answered)}, wire::RowType::question),
      page_of({question("c", 10, open), question("d", 6, answered)}, wire::RowType::question), machines);
  const auto rows = rows_of<view::Question>(merged.page);
  ASSERT_TRUE(rows);
  std::vector<std::string> jobs;
  for (const view::Question* row : *rows) jobs.emplace_back(text(row->job()));
  EXPECT_THAT(jobs, ElementsAre("c", "a", "d", "b"));
  EXPECT_EQ(machines.find("c")->name, "far");
}

TEST(MergedRows, OverviewKeepsQueuesInOrderAndTheLastEnds) {
  using enum schema::JobState;
  RowMachines machines = two_machines();
  const MergedRows merged =
      merged_of(wire::View::overview, 2,
                page_of({job_row("1", running), job_row("8", queued), job_row("3", queued),
                         job_row("2", completed, 30)}),
                page_of({job_row("9", running), job_row("7", queued), job_row("4", completed, 40),
                         job_row("5", completed, 20), job_row("6", failed, 10)}),
                machines);
  EXPECT_THAT(ids_of(merged.page), ElementsAre("9", "1", "8", "3", "7", "4", "2", "6"))
      << "of those that ended the last two, and beside them what failed";
}

TEST(MergedRows, PartsOfOverviewsAreSummedAndTheirMachinesKept) {
  const auto with_parts = [](std::uint64_t completed, const std::string& alert) {
    view::OutcomeDayT day;
    day.completed = completed;
    view::AlertT row;
    row.alert = alert;
    RowPage page = page_of({});
    page.parts.push_back(page_of({row_bytes(day)}, wire::RowType::outcome_day));
    page.parts.push_back(page_of({row_bytes(row)}, wire::RowType::alert));
    return page;
  };
  RowMachines machines = two_machines();
  MergedRows merged =
      merged_of(wire::View::overview, 5, with_parts(3, "disk"), with_parts(4, "memory"), machines);
  EXPECT_THAT(merged.of_alerts, ElementsAre(0u, 1u));
  const auto overview = overview_of(std::move(merged.page), view_query(wire::View::overview));
  ASSERT_TRUE(overview);
  ASSERT_NE(overview->notes.recent, nullptr);
  EXPECT_EQ(overview->notes.recent->completed(), 7u);
  EXPECT_THAT(overview->notes.alerts, SizeIs(2));
}

TEST(MergedRows, DamagedOrOtherRowsAreNoAnswer) {
  const wire::QueryT query = view_query(wire::View::jobs);
  EXPECT_TRUE(check_rows(query, page_of({job_row("5")})));
  EXPECT_FALSE(check_rows(query, page_of({job_row("5"), std::string(64, '\xff')})));
  EXPECT_FALSE(check_rows(query, page_of({}, wire::RowType::question)));
  RowPage overview = page_of({});
  overview.parts.push_back(page_of({std::string(64, '\x7f')}, wire::RowType::alert));
  EXPECT_FALSE(check_rows(view_query(wire::View::overview), overview));
}

TEST(RowMachines, TableNamesTheMachineAndDimsOldRows) {
  RowMachines machines = two_machines();
  machines.machines[1].failed = Error{ErrorKind::trouble, "machine_silent", "no answer", {}};
  machines.machines[1].as_of_us = machines.now - 180 * kSecondUs;
  machines.of_id = {{"5", 0}, {"4", 1}};
  Table table({{"STATE"}, {"JOB"}, {"TASK"}});
  table.add({{"running"}, {"5", Colour::bold}, {"build"}});
  table.add({{"queued"}, {"4", Colour::bold}, {"test"}});
  EXPECT_EQ(table.text({.machines = &machines}),
            "STATE    JOB  MACHINE         TASK\n"
            "running  5    local           build\n"
            "queued   4    far, 3m00s ago  test\n");
  EXPECT_THAT(table.text({.colour = true, .machines = &machines}), HasSubstr("\x1b[2m4\x1b[0m"));
}

TEST(RowMachines, JsonHasTheMachineAndTheAgeOfOldRows) {
  RowMachines machines = two_machines();
  EXPECT_EQ(with_machine("{\"id\":\"5\"}", &machines.machines[0]), "{\"id\":\"5\",\"machine\":\"local\"}");
  EXPECT_EQ(with_machine("{}", &machines.machines[0]), "{\"machine\":\"local\"}");
  EXPECT_EQ(with_machine("{\"id\":\"5\"}", nullptr), "{\"id\":\"5\"}");
  machines.machines[1].failed = Error{ErrorKind::trouble, "machine_silent", "no \"answer\"", {}};
  machines.machines[1].as_of_us = 1'767'225'600'000'000;
  EXPECT_EQ(with_machine("{}", &machines.machines[1]),
            "{\"machine\":\"far\",\"as_of\":\"2026-01-01T00:00:00.000000Z\",\"as_of_us\":1767225600000000}");
  EXPECT_THAT(
      with_machines("{}", machines),
      HasSubstr("\"error\":{\"code\":\"machine_silent\",\"message\":\"no \\\"answer\\\"\",\"hint\":null}"));
}

}  // namespace
}  // namespace luzia::test
