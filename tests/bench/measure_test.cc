#include "bench/harness/measure.h"

#include "tests/matchers.h"

namespace luzia::bench {
namespace {

TEST(Latencies, PercentilesAreWithinTwoPercentOfTheTruth) {
  Latencies latencies;
  for (int i = 1; i <= 10'000; ++i) latencies.add(i * 1e-6);
  EXPECT_EQ(latencies.count(), 10'000u);
  EXPECT_NEAR(latencies.percentile_us(0.5), 5'000, 100);
  EXPECT_NEAR(latencies.percentile_us(0.99), 9'900, 198);
  EXPECT_NEAR(latencies.percentile_us(1), 10'000, 200);
  EXPECT_NEAR(latencies.percentile_us(0.0001), 1, 0.02);
}

TEST(Latencies, OneSlowAnswerInAThousandIsNotLost) {
  Latencies latencies;
  for (int i = 0; i < 999; ++i) latencies.add(20e-6);
  latencies.add(0.25);
  EXPECT_NEAR(latencies.percentile_us(0.99), 20, 0.4);
  EXPECT_NEAR(latencies.percentile_us(1), 250'000, 5'000);
}

TEST(Latencies, MergedRunsCountAsOne) {
  Latencies fast, slow;
  for (int i = 0; i < 90; ++i) fast.add(1e-6);
  for (int i = 0; i < 10; ++i) slow.add(1e-3);
  fast.add_all(slow);
  EXPECT_EQ(fast.count(), 100u);
  EXPECT_NEAR(fast.percentile_us(0.9), 1, 0.02);
  EXPECT_NEAR(fast.percentile_us(0.95), 1'000, 20);
}

TEST(Latencies, ExtremesStayInTheFirstAndLastBucket) {
  Latencies latencies;
  latencies.add(0);
  EXPECT_LT(latencies.percentile_us(1), 0.002);
  latencies.add(1e9);
  EXPECT_GT(latencies.percentile_us(1), 3.6e9);
}

TEST(Latencies, NoSamplesGiveNoPercentile) {
  EXPECT_EQ(Latencies().percentile_us(0.5), 0);
}

TEST(Repeated, GivesTheMedianAndTheSpreadAroundIt) {
  std::vector<double> values = {110, 90, 100};
  const auto [middle, spread] = repeated(3, [&] {
    const double value = values.back();
    values.pop_back();
    return value;
  });
  EXPECT_EQ(middle, 100);
  EXPECT_NEAR(spread, 0.2, 1e-9);
}

}  // namespace
}  // namespace luzia::bench
