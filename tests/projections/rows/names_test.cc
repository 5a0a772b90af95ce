#include "projections/rows/names.h"

#include <gtest/gtest.h>

#include "projections/rows/buckets.h"
#include "projections/rows/row_bytes.h"

namespace luzia::test {
namespace {

using schema::EndReason;
using schema::JobState;

TEST(Names, StateNamesReadBack) {
  for (const JobState state : schema::EnumValuesJobState()) {
    if (state == JobState::none) continue;
    EXPECT_EQ(parse_state(state_name(state)), state);
  }
  EXPECT_EQ(parse_state("none"), std::nullopt);
  EXPECT_EQ(parse_state("Running"), std::nullopt);
  EXPECT_EQ(parse_state(""), std::nullopt);
  EXPECT_EQ(state_name(static_cast<JobState>(200)), "unknown");
}

TEST(Names, EveryStateHasItsA2aName) {
  EXPECT_EQ(a2a_state(JobState::queued), "submitted");
  EXPECT_EQ(a2a_state(JobState::starting), "working");
  EXPECT_EQ(a2a_state(JobState::running), "working");
  EXPECT_EQ(a2a_state(JobState::parked), "working");
  EXPECT_EQ(a2a_state(JobState::waiting), "input-required");
  EXPECT_EQ(a2a_state(JobState::completed), "completed");
  EXPECT_EQ(a2a_state(JobState::killed), "canceled");
  EXPECT_EQ(a2a_state(JobState::cancelled), "canceled");
  for (const JobState state : {JobState::failed, JobState::timed_out, JobState::lost, JobState::skipped}) {
    EXPECT_EQ(a2a_state(state), "failed");
  }
}

TEST(EndText, ExplainsTheEndToPeople) {
  EXPECT_EQ(end_text(JobState::running, EndReason::exit_code, 0, 0, ""), "");
  EXPECT_EQ(end_text(JobState::failed, EndReason::exit_code, 2, 0, ""), "exit code 2");
  EXPECT_EQ(end_text(JobState::failed, EndReason::signal, std::nullopt, 9, ""), "signal 9, SIGKILL");
  EXPECT_EQ(end_text(JobState::failed, EndReason::signal, std::nullopt, 40, ""), "signal 40, SIG40");
  EXPECT_EQ(end_text(JobState::killed, EndReason::cancelled_before_start, std::nullopt, 0, ""),
            "cancelled before start");
}

TEST(EndText, DetailIsNotRepeated) {
  const auto words = [](EndReason reason, std::string_view detail) {
    return end_text(JobState::failed, reason, std::nullopt, 0, detail);
  };
  EXPECT_EQ(words(EndReason::preflight_failed, "preflight check 'git status' failed: exit code 1"),
            "preflight check 'git status' failed: exit code 1");
  EXPECT_EQ(words(EndReason::timed_out, "ran longer than its limit of 2s"),
            "ran longer than its limit of 2s");
  EXPECT_EQ(words(EndReason::timed_out, ""), "stopped at its time limit");
  EXPECT_EQ(words(EndReason::budget_exceeded, "its budget was used up"), "its budget was used up");
  EXPECT_EQ(words(EndReason::cancelled, "wrong branch"), "cancelled: wrong branch");
}

TEST(EndText, EveryReasonHasAText) {
  std::set<std::string> texts;
  for (const EndReason reason : schema::EnumValuesEndReason()) {
    if (reason == EndReason::signal) continue;  // the words of exit_code plus the signal
    EXPECT_TRUE(texts.insert(end_text(JobState::failed, reason, 1, 0, "")).second) << end_reason_name(reason);
  }
}

TEST(Buckets, GrowByTheFourthRootOfTwo) {
  EXPECT_EQ(bucket_of(0), 0U);
  EXPECT_EQ(bucket_of(1), 0U);
  EXPECT_EQ(bucket_of(2), 4U);
  EXPECT_EQ(bucket_of(3), 6U);  // 2^(6/4) = 2.83
  EXPECT_EQ(bucket_of(8), 12U);
  EXPECT_EQ(bucket_of(9), 12U);  // 2^(13/4) = 9.51
  EXPECT_EQ(bucket_of(10), 13U);
  EXPECT_EQ(bucket_of(~std::uint64_t{0}), 255U);
  for (std::uint64_t ms = 1; ms < 3'000'000; ms += ms / 50 + 1) {
    const std::size_t bucket = bucket_of(ms);
    ASSERT_LE(bucket_start(bucket), static_cast<double>(ms) * (1 + 1e-12)) << ms;
    ASSERT_GT(bucket_start(bucket + 1), static_cast<double>(ms) * (1 - 1e-12)) << ms;
  }
}

double quantile(const view::DurationsT& row, double q) {
  const std::string bytes = row_bytes(row);
  return duration_quantile(*verified_row<view::Durations>(as_bytes(bytes)), q);
}

TEST(Buckets, QuantilesAreWithinABucketsWidth) {
  view::DurationsT row;
  EXPECT_EQ(quantile(row, 0.5), 0);
  row.min_ms = ~std::uint64_t{0};
  for (std::uint64_t ms = 1; ms <= 10'000; ++ms) {
    ++row.count;
    row.min_ms = std::min(row.min_ms, ms);
    row.max_ms = std::max(row.max_ms, ms);
    const std::size_t bucket = bucket_of(ms);
    if (row.buckets.size() <= bucket) row.buckets.resize(bucket + 1);
    ++row.buckets[bucket];
  }
  EXPECT_NEAR(quantile(row, 0.5), 5000, 5000 * 0.19);
  EXPECT_NEAR(quantile(row, 0.95), 9500, 9500 * 0.19);
  EXPECT_EQ(quantile(row, 1), 10'000);
  EXPECT_EQ(quantile(row, 0), 1);
}

TEST(Buckets, EqualValuesAreExact) {
  std::vector<std::uint64_t> buckets(bucket_of(1'000) + 1);
  for (const std::uint64_t count : {1, 7}) {
    buckets[bucket_of(1'000)] = count;
    for (const double q : {0.0, 0.5, 0.95, 1.0}) {
      EXPECT_EQ(bucket_quantile(buckets, q, 1'000'000 * count, count), 1'000) << q;
      EXPECT_EQ(bucket_quantile(buckets, q, 1'000.0), 1'000) << q;
    }
  }
  EXPECT_EQ(bucket_quantile({}, 0.5, 0, 0), 0);
}

TEST(Buckets, MeanOutsideTheBucketIsIgnored) {
  std::vector<std::uint64_t> buckets(bucket_of(1'000) + 1);
  buckets.back() = 1;
  EXPECT_EQ(bucket_quantile(buckets, 0.5, 5.0), bucket_start(buckets.size() - 1));
  EXPECT_EQ(bucket_quantile(buckets, 0.5, 5e9), bucket_start(buckets.size()));
}

TEST(Buckets, MeanIsIgnoredForSeveralBuckets) {
  std::vector<std::uint64_t> buckets(bucket_of(10'000) + 1);
  buckets[bucket_of(10)] = 99;
  buckets.back() = 1;
  EXPECT_LT(bucket_quantile(buckets, 0.5, (99 * 10 + 10'000) / 100.0), 12);
}

}  // namespace
}  // namespace luzia::test
