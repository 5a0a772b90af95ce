// What an overview counts and names of all that ended within a day.
#include <gmock/gmock.h>

#include "projections/live_jobs.h"
#include "projections/rows/attention.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

/// Ids of 13 characters that sort by their number.
std::string job_number(int number) {
  std::string digits = std::to_string(number);
  return "k" + std::string(12 - digits.size(), '0') + digits;
}

class RecentEnds : public ViewsTest {
 protected:
  void SetUp() override {
    query_.view = wire::View::overview;
    query_.filter = std::make_unique<wire::FilterT>();
  }
  /// The overview now, the time of the last event.
  Result<RowPage> ask() {
    QuerySources sources{log_, {}, {}};
    sources.now = writer_.now;
    return run_query(rows(), sources, query_);
  }

  wire::QueryT query_;
};

TEST_F(RecentEnds, FailuresOfADayAreNamedBesideTheLastEnds) {
  const auto run = [&](int number, schema::JobState state, schema::EndReason reason) {
    writer_.write(0, queued(job_number(number), number % 2 == 0 ? "alpha" : "beta"));
    writer_.write(0, started(job_number(number)));
    writer_.write(kSecondUs, ended(job_number(number), state, reason));
  };
  using enum schema::JobState;
  run(1, failed, schema::EndReason::exit_code);
  writer_.now += kRecentEndsUs;
  int number = 2;
  for (std::size_t i = 0; i < kFailedInStatus + 2; ++i) run(number++, failed, schema::EndReason::exit_code);
  run(number++, killed, schema::EndReason::cancelled);
  run(number++, killed, schema::EndReason::signal);
  for (int i = 0; i < 3; ++i) run(number++, completed, schema::EndReason::exit_code);
  query_.limit = 2;
  const auto overview = ask();
  ASSERT_TRUE(overview) << overview.error().message;
  const auto jobs = natives<view::Job>(*overview);
  ASSERT_EQ(jobs.size(), 2 + kFailedInStatus);
  EXPECT_EQ(jobs[0].id, job_number(number - 1)) << "the last ends come first";
  EXPECT_EQ(jobs[2].id, job_number(number - 4)) << "then what failed, newest first: killed by a signal";
  EXPECT_EQ(jobs[3].id, job_number(number - 6)) << "but not what was cancelled";
  const auto recent = natives<view::OutcomeDay>(overview->parts.front());
  ASSERT_EQ(recent.size(), 1U);
  EXPECT_EQ(recent[0].failed, kFailedInStatus + 2) << "not the one of the day before";
  EXPECT_EQ(overview->parts.front().next, "") << "all ends of the day are counted";

  std::vector<const view::Job*> rows;
  for (const auto& row : overview->rows) rows.push_back(verified_row<view::Job>(as_bytes(row)));
  StatusNotes notes;
  notes.recent = verified_row<view::OutcomeDay>(as_bytes(overview->parts.front().rows.front()));
  EXPECT_EQ(bad_ends(*notes.recent), kFailedInStatus + 3);
  const auto groups = group_by_attention(rows, writer_.now);
  const std::string words = status_text(groups, notes, writer_.now, {});
  EXPECT_THAT(words, testing::StartsWith("Failed (10 of 13)\n"));
  EXPECT_THAT(words, testing::HasSubstr("\nand 3 more: luzia jobs --state failed,killed,timed_out,lost\n"));
  EXPECT_THAT(words,
              testing::HasSubstr("\nEnded (2); in the last 24 hours: 3 completed, 12 failed, 2 killed\n"));
  const std::string markdown = status_markdown(groups, notes, writer_.now);
  EXPECT_THAT(markdown, testing::HasSubstr("\n## Failed (10 of 13)\n"));
  EXPECT_THAT(markdown,
              testing::HasSubstr("\nEnded in the last 24 hours: 3 completed, 12 failed, 2 killed\n"));
  EXPECT_THAT(status_json(groups, notes, writer_.now, 1),
              testing::HasSubstr("\"last_day\":{\"completed\":3,\"failed\":12,"));

  query_.filter->projects = {"beta"};
  EXPECT_EQ(natives<view::OutcomeDay>(ask()->parts.front())[0].failed, kFailedInStatus / 2 + 1);
  query_.filter->ended = false;
  EXPECT_NE(ask()->parts.front().type, wire::RowType::outcome_day);
}

TEST_F(RecentEnds, OverviewSaysIfItCountedOnlyTheLastOnes) {
  for (int number = 1; number <= static_cast<int>(kLastEnds) + 1; ++number) {
    writer_.add(queued(job_number(number), "alpha"));
    writer_.add(ended(job_number(number), schema::JobState::completed));
  }
  writer_.commit();
  const auto overview = ask();
  ASSERT_TRUE(overview) << overview.error().message;
  const RowPage& part = overview->parts.front();
  EXPECT_NE(part.next, "");
  const auto* recent = verified_row<view::OutcomeDay>(as_bytes(part.rows.front()));
  EXPECT_EQ(recent_ends_text(*recent, true), "in the last 24 hours: at least 1,000 completed");
}

}  // namespace
}  // namespace luzia::test
