// Finding positions by time in logs whose clock went back.
#include "projections/clock_stretches.h"

#include <algorithm>
#include <random>

#include "projections/past_views.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

class ClockStretchesTest : public ViewsTest {
 protected:
  void add(TimeUs time) {
    writer_.now = time;
    times_.push_back(writer_.add(warning("k1", "w")).time_us());
  }
  void write(TimeUs time) {
    add(time);
    writer_.commit();
  }
  std::size_t count_rows() {
    std::size_t count = 0;
    rows().scan(row_key(kClockStretchesView, ""), row_end(kClockStretchesView),
                [&](auto, auto) { return ++count > 0; });
    return count;
  }
  /// The expected result, by checking each event.
  Position expected(TimeUs time, Position until) const {
    while (until > 0 && times_[until - 1] > time) --until;
    return until;
  }
  void expect_exact(const ViewReader& rows, TimeUs time) {
    const Position tip = log_.tip().position;
    ASSERT_EQ(position_at_time(log_, rows, time), expected(time, tip)) << time;
    ASSERT_EQ(position_at_time(log_, rows, time, tip / 2), expected(time, tip / 2)) << time;
    const auto ranges = positions_since(log_, rows, time, tip / 4, tip - 1);
    ASSERT_TRUE(ranges);
    Position reached = tip / 4;
    for (const PositionRange& range : *ranges) {
      ASSERT_LE(reached, range.after);
      ASSERT_LT(range.after, range.last);
      expect_all_before(time, reached, range.after);
      reached = range.last;
    }
    expect_all_before(time, reached, tip - 1);
  }
  void expect_all_before(TimeUs time, Position after, Position last) {
    for (Position at = after; at < last; ++at) ASSERT_LT(times_[at], time) << at + 1;
  }

  std::vector<TimeUs> times_;
};

TEST_F(ClockStretchesTest, WithoutEventsEveryTimeIsBeforeTheFirst) {
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch), 0U);
  EXPECT_THAT(positions_since(log_, rows(), kEpoch, 0, 0).value(), ElementsAre());
}

TEST_F(ClockStretchesTest, PositionIsTheLastEventNotLater) {
  for (int i = 0; i < 200; ++i) {
    add(writer_.now + (i % 3 == 0 ? 0 : kSecondUs));  // some events have the same time
    if (i % 7 == 0 || i % 11 == 0) writer_.commit();
  }
  writer_.commit();
  for (TimeUs time = kEpoch - kSecondUs; time <= times_.back() + kSecondUs; time += kSecondUs / 2) {
    expect_exact(rows(), time);
  }
}

TEST_F(ClockStretchesTest, ClockADayAheadHidesNothing) {
  for (int i = 1; i <= 1200; ++i) {
    const bool ahead = i >= 500 && i <= 600;
    write(kEpoch + i * kMinuteUs + (ahead ? kDayUs : 0));
  }
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch + 1000 * kMinuteUs), 1000U);
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch + 550 * kMinuteUs), 499U);
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch + kDayUs + 550 * kMinuteUs), 1200U);
  for (int i = -1; i <= 3000; i += 7) expect_exact(*rows_, kEpoch + i * kMinuteUs);
  EXPECT_THAT(positions_since(log_, rows(), kEpoch + 1000 * kMinuteUs, 0, 1200).value(),
              ElementsAre(PositionRange{499, 600}, PositionRange{999, 1200}));
  EXPECT_THAT(positions_since(log_, rows(), kEpoch + 1000 * kMinuteUs, 700, 1100).value(),
              ElementsAre(PositionRange{999, 1100}));
}

TEST_F(ClockStretchesTest, RepeatedTimeMeansTheLaterPosition) {
  for (const int minute : {1, 2, 3, 1, 2, 3}) write(kEpoch + minute * kMinuteUs);
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch + 2 * kMinuteUs), 5U);
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch + 2 * kMinuteUs, 3), 2U);
  EXPECT_EQ(position_at_time(log_, rows(), kEpoch), 0U);
}

TEST_F(ClockStretchesTest, SmallClockStepsMakeNoRows) {
  for (int i = 1; i <= 400; ++i) {
    const TimeUs behind = i % 3 == 0 ? 4 * kSecondUs : 0;
    write(kEpoch + i * kSecondUs / 2 - behind);
  }
  EXPECT_EQ(count_rows(), 2U) << "one stretch and the mark";
  for (TimeUs time = kEpoch - kMinuteUs; time < kEpoch + 5 * kMinuteUs; time += kSecondUs / 4) {
    expect_exact(*rows_, time);
  }
}

TEST_F(ClockStretchesTest, PositionsAreExactForAnyClock) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i) {
      const auto by = static_cast<TimeUs>(random() % 100) * kSecondUs / 10;
      const bool steps = random() % 40 == 0;
      const TimeUs step = (static_cast<TimeUs>(random() % 1000) - 600) * kSecondUs;
      add(writer_.now + (steps ? step : random() % 4 == 0 ? -by : by));
      if (random() % 5 == 0) writer_.commit();
    }
    writer_.commit();
    const auto [first, last] = std::ranges::minmax(times_);
    const ViewReader& rows = this->rows();
    for (TimeUs time = first - kSecondUs; time <= last + kSecondUs; time += 7 * kSecondUs) {
      expect_exact(rows, time);
    }
    for (int i = 0; i < 50; ++i) expect_exact(rows, times_[random() % times_.size()]);
  }
}

TEST_F(ClockStretchesTest, BatchSizeDoesNotChangeRows) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    add(writer_.now + (static_cast<TimeUs>(random() % 200) - 80) * kSecondUs / 4);
    if (random() % 4 == 0) writer_.commit();
  }
  writer_.commit();
  EXPECT_GT(count_rows(), 10U);
  MemoryViewStore cut;
  while (cut.snapshot()->cursor().position < log_.tip().position) {
    Fold fold(all_projections(), cut);  // as after a restart
    const auto group = log_.read_from(fold.cursor().position + 1)->next().value();
    fold.apply(*group, fold.cursor().position + 1 + random() % 7);
    ASSERT_TRUE(fold.flush());
  }
  EXPECT_THAT(compare_rows(rows(), *cut.snapshot()), testing::IsEmpty());
}

TEST_F(ClockStretchesTest, WithoutCurrentRowsTheLogIsSearched) {
  for (const int minute : {1, 2, 3, 1}) write(kEpoch + minute * kMinuteUs);
  rows();
  for (const int minute : {2, 3, 1, 2}) write(kEpoch + minute * kMinuteUs);
  const TimeUs time = kEpoch + kMinuteUs;
  const auto of_log = fold_clock_stretches(log_, nullptr).value();
  EXPECT_EQ(position_at_time(log_, *of_log, time), 7U);
  const auto folded_on = fold_clock_stretches(log_, store_.snapshot()).value();
  EXPECT_EQ(position_at_time(log_, *folded_on, time), 7U);
  EXPECT_EQ(position_at_time(log_, *rows_, time), 4U) << "up to the cursor of the rows";
  // Events after the cursor are not left out.
  EXPECT_THAT(positions_since(log_, *rows_, kEpoch + kHourUs, 0, 8).value(),
              ElementsAre(PositionRange{4, 8}));
}

TEST_F(ClockStretchesTest, QueriesByTimeUseIt) {
  for (int i = 1; i <= 100; ++i) write(kEpoch + i * kMinuteUs + (i > 40 && i <= 50 ? kDayUs : 0));
  wire::QueryT query;
  query.view = wire::View::events;
  query.limit = kMaxLimit;
  query.filter = std::make_unique<wire::FilterT>();
  query.at_time_us = kEpoch + 80 * kMinuteUs;
  EXPECT_EQ(run_query(rows(), {log_, {}, {}}, query)->position, 80U);
  query.at_time_us = 0;
  query.filter->since_us = kEpoch + 90 * kMinuteUs;
  query.limit = 15;
  const auto page = run_query(rows(), {log_, {}, {}}, query);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), 15U);
  query.cursor = page->next;
  EXPECT_EQ(run_query(rows(), {log_, {}, {}}, query)->rows.size(), 6U) << "10 ahead, then 90 to 100";
}

}  // namespace
}  // namespace luzia::test
