#include "bench/harness/compare.h"

#include "tests/matchers.h"

namespace luzia::bench {
namespace {

Figure repeated_figure(double value, double spread, const std::string& unit = "dispatches/s") {
  Figure figure = plain_figure("dispatch", value, unit);
  figure.spread = spread;
  return figure;
}

Change compare_two(const Figure& before, const Figure& after) {
  const auto changes = compare_figures({before}, {after});
  EXPECT_EQ(changes.size(), 1u);
  return changes.front();
}

TEST(Compare, GainWithinTheSpreadIsNoise) {
  EXPECT_EQ(compare_two(repeated_figure(100, 0.2), repeated_figure(118, 0.2)).verdict, Verdict::same);
  EXPECT_EQ(compare_two(repeated_figure(118, 0.2), repeated_figure(100, 0.2)).verdict, Verdict::same);
}

TEST(Compare, GainBeyondTheSpreadIsReported) {
  const Change better = compare_two(repeated_figure(100, 0.05), repeated_figure(120, 0.05));
  EXPECT_EQ(better.verdict, Verdict::better);
  EXPECT_NEAR(better.gain, 0.2, 1e-9);
  EXPECT_EQ(compare_two(repeated_figure(120, 0.05), repeated_figure(100, 0.05)).verdict, Verdict::worse);
}

TEST(Compare, ChangesBelowFivePercentAreIgnored) {
  EXPECT_EQ(compare_two(repeated_figure(100, 0.001), repeated_figure(104, 0.001)).verdict, Verdict::same);
}

TEST(Compare, SingleMeasurementsTolerateTwentyPercent) {
  EXPECT_EQ(compare_two(repeated_figure(100, 0), repeated_figure(119, 0)).verdict, Verdict::same);
  EXPECT_EQ(compare_two(repeated_figure(100, 0), repeated_figure(125, 0)).verdict, Verdict::better);
}

TEST(Compare, FewerMicrosecondsAreBetter) {
  EXPECT_EQ(compare_two(repeated_figure(100, 0.05, "us"), repeated_figure(50, 0.05, "us")).verdict,
            Verdict::better);
  EXPECT_EQ(compare_two(repeated_figure(50, 0.05, "us"), repeated_figure(100, 0.05, "us")).verdict,
            Verdict::worse);
}

TEST(Compare, TheSameRatioOnASlowerMachineIsTheSame) {
  Figure before = repeated_figure(8'000, 0.05), after = repeated_figure(4'000, 0.05);
  before.yardstick = after.yardstick = "raw put/s";
  before.yardstick_value = 10'000, after.yardstick_value = 5'000;
  const Change change = compare_two(before, after);
  EXPECT_TRUE(change.of_ratios);
  EXPECT_EQ(change.verdict, Verdict::same);
}

TEST(Compare, DifferentYardsticksCompareValues) {
  Figure before = repeated_figure(8'000, 0.05), after = repeated_figure(4'000, 0.05);
  before.yardstick = "raw put/s", after.yardstick = "append/s";
  before.yardstick_value = 10'000, after.yardstick_value = 5'000;
  const Change change = compare_two(before, after);
  EXPECT_FALSE(change.of_ratios);
  EXPECT_EQ(change.verdict, Verdict::worse);
}

TEST(Compare, NewMissesAreWorse) {
  EXPECT_EQ(compare_two(repeated_figure(0, 0, "lines"), repeated_figure(3, 0, "lines")).verdict,
            Verdict::worse);
  EXPECT_EQ(compare_two(repeated_figure(0, 0, "lines"), repeated_figure(0, 0, "lines")).verdict,
            Verdict::same);
}

TEST(Compare, FiguresOfOnlyOneRunAreNamed) {
  const auto changes = compare_figures({plain_figure("old", 1, "us")}, {plain_figure("fresh", 2, "us")});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].verdict, Verdict::gone);
  EXPECT_EQ(changes[1].verdict, Verdict::added);
  EXPECT_THAT(changes_table(changes), HasSubstr("| old | 1.00 |  |  |  | gone |"));
}

TEST(Compare, FiguresThatOneRunLacksAreNotCompared) {
  const Figure measured = repeated_figure(100, 0.05), missing = missing_figure("dispatch", "no browser");
  const auto gone = compare_figures({measured}, {missing}), added = compare_figures({missing}, {measured});
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone.front().verdict, Verdict::gone);
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added.front().verdict, Verdict::added);
  EXPECT_TRUE(compare_figures({missing}, {missing}).empty());
}

}  // namespace
}  // namespace luzia::bench
