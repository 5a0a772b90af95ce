// How often reports about one job are taken.
#include "tools/luziad/intake/report_rate.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

constexpr TimeUs kFirstReport = 1'000'000 * kSecondUs;

TEST(ReportRateTest, ThousandAtOnceAndThenOneASecond) {
  ReportRate rate;
  for (TimeUs i = 0; i < ReportRate::kMostAtOnce; ++i) ASSERT_TRUE(rate.count("a", kFirstReport));
  const Status refused = rate.count("a", kFirstReport);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "too_many_reports");
  EXPECT_TRUE(rate.count("b", kFirstReport)) << "each job has its own";
  EXPECT_TRUE(rate.count("a", kFirstReport + kSecondUs));
  EXPECT_FALSE(rate.count("a", kFirstReport + kSecondUs)) << "what was refused does not count";
  const TimeUs later = kFirstReport + 2 * ReportRate::kMostAtOnce * kSecondUs;
  for (TimeUs i = 0; i < ReportRate::kMostAtOnce; ++i) ASSERT_TRUE(rate.count("a", later));
  EXPECT_FALSE(rate.count("a", later));
}

TEST(ReportRateTest, OneASecondIsNeverTooMany) {
  ReportRate rate;
  for (TimeUs i = 0; i < 5 * ReportRate::kMostAtOnce; ++i) {
    ASSERT_TRUE(rate.count("a", kFirstReport + i * kSecondUs)) << i;
  }
}

}  // namespace
}  // namespace luzia
