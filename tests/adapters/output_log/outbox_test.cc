// What is worth an event, when it is sent, and what happens if the log refuses it.
#include "adapters/output_log/outbox.h"

#include <gtest/gtest.h>

#include "engine/job/finding_limits.h"

namespace luzia {
namespace {

constexpr Outbox::Limits kLimits{1 << 20, 5 * kSecondUs};

class OutboxTest : public testing::Test {
 protected:
  /// The result of a read up to offset `to` that completed one line.
  ScanResult read_to(std::uint64_t to, std::size_t findings = 0) {
    ScanResult result;
    result.from = reached_.scanned_to;
    result.lines = 1;
    reached_.scanned_to = reached_.line_start = to;
    reached_.line_no += 1;
    result.checkpoint = reached_;
    for (std::size_t i = 0; i < findings; ++i) {
      result.findings.push_back({domain_fact(schema::ProgressReportedT{}), {}});
    }
    return result;
  }
  ScanResult replaced() {
    schema::OutputRestartedT restarted;
    restarted.lost_from = reached_.scanned_to;
    reached_ = next_generation(reached_, {1, 2, 3});
    restarted.checkpoint = std::make_unique<schema::CheckpointT>(reached_);
    ScanResult result;
    result.restarted = std::move(restarted);
    result.checkpoint = reached_;
    return result;
  }
  void add(ScanResult result) { outbox_.add(result); }
  std::optional<RecordOutput> take(TimeUs now, bool flush = false) {
    return outbox_.take(kLimits, now, flush);
  }

  schema::CheckpointT reached_;
  Outbox outbox_{3, {}, 0, 0};
};

TEST_F(OutboxTest, StretchWithoutFindingsWaitsForFiveSeconds) {
  add(read_to(100));
  add(read_to(200));
  EXPECT_FALSE(take(5 * kSecondUs - 1));
  const auto output = take(5 * kSecondUs);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->attempt, 3u);
  EXPECT_EQ(output->appended->from, 0u);
  EXPECT_EQ(output->appended->to, 200u);
  EXPECT_EQ(output->appended->lines, 2u);
  EXPECT_EQ(output->appended->checkpoint->scanned_to, 200u);
}

TEST_F(OutboxTest, MebibyteIsDueAtOnce) {
  add(read_to((1 << 20) - 1));
  EXPECT_FALSE(take(0));
  add(read_to(1 << 20));
  EXPECT_TRUE(take(0));
}

TEST_F(OutboxTest, FindingMakesTheStretchDueAtOnce) {
  add(read_to(100));
  add(read_to(200, 1));
  const auto output = take(0);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->appended->to, 200u);
  EXPECT_EQ(output->findings.size(), 1u);
}

schema::AnnotationFoundT some_warning() {
  schema::AnnotationFoundT warning;
  warning.severity = schema::Severity::warning;
  return warning;
}

TEST_F(OutboxTest, FindingsBeyondTheLimitAreOnlyCounted) {
  const auto warnings = [](ScanResult result, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      result.findings.push_back({domain_fact(some_warning()), {}});
    }
    return result;
  };
  add(warnings(read_to(100), kMostFindings - 1));
  const auto first = take(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->findings.size(), kMostFindings - 1);
  ASSERT_TRUE(outbox_.recorded(*first->appended->checkpoint));
  add(warnings(read_to(200), 3));
  const auto second = take(0);
  ASSERT_TRUE(second) << "one of them is news";
  EXPECT_EQ(second->findings.size(), 1U);
  ASSERT_EQ(second->appended->omitted.size(), 1U);
  EXPECT_EQ(second->appended->omitted.front()->kind, "warning");
  EXPECT_EQ(second->appended->omitted.front()->count, 2U);
  ASSERT_TRUE(outbox_.recorded(*second->appended->checkpoint));
  add(warnings(read_to(300), 1'000));
  add(warnings(read_to(400), 1'000));
  EXPECT_FALSE(take(5 * kSecondUs - 1));
  EXPECT_FALSE(outbox_.full(kLimits));
  const auto third = take(5 * kSecondUs);
  ASSERT_TRUE(third);
  EXPECT_TRUE(third->findings.empty());
  EXPECT_EQ(third->appended->omitted.front()->count, 2'000U);
}

TEST_F(OutboxTest, OnlyTheLastProgressIsKeptBeyondTheLimit) {
  add(read_to(100, kMostFindings));
  const auto first = take(0);
  ASSERT_TRUE(outbox_.recorded(*first->appended->checkpoint));
  for (const double percent : {10, 20, 30}) {
    ScanResult result = read_to(100 + static_cast<std::uint64_t>(percent), 1);
    std::get<schema::ReportFactUnion>(result.findings[0].fact).AsProgressReported()->progress_percent =
        percent;
    add(std::move(result));
  }
  EXPECT_FALSE(take(0));
  const auto second = take(5 * kSecondUs);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->findings.size(), 1U);
  EXPECT_EQ(
      std::get<schema::ReportFactUnion>(second->findings[0].fact).AsProgressReported()->progress_percent, 30);
  EXPECT_EQ(second->appended->omitted.front()->count, 2U);
}

TEST_F(OutboxTest, StretchHasTheTimeOfItsLastOutput) {
  ScanResult first = read_to(100), last = read_to(200, 1);
  first.modified_ns = 7 * kSecondUs * 1'000;
  last.modified_ns = 9 * kSecondUs * 1'000;
  add(std::move(first));
  add(std::move(last));
  const auto output = take(0);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->written_us, 9 * kSecondUs);
}

TEST_F(OutboxTest, NextStretchGrowsUntilTheLastIsRecorded) {
  add(read_to(100, 1));
  const auto first = take(0);
  add(read_to(200, 1));
  add(read_to(300, 2));
  EXPECT_FALSE(take(0, true));
  EXPECT_TRUE(outbox_.recorded(*first->appended->checkpoint));
  const auto second = take(0);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->from, 100u);
  EXPECT_EQ(second->appended->from, 100u);
  EXPECT_EQ(second->appended->to, 300u);
  EXPECT_EQ(second->findings.size(), 3u);
  EXPECT_EQ(outbox_.lines(), 3u);
  EXPECT_TRUE(outbox_.recorded(*second->appended->checkpoint));
  EXPECT_TRUE(outbox_.empty());
}

TEST_F(OutboxTest, FlushSendsEverything) {
  add(read_to(1));
  EXPECT_FALSE(take(0));
  EXPECT_TRUE(take(0, true));
}

TEST_F(OutboxTest, LookWithoutNewOutputRecordsNothing) {
  ScanResult nothing;
  outbox_.add(nothing);
  EXPECT_TRUE(outbox_.empty());
}

TEST_F(OutboxTest, FileRestartClosesTheStretchAtOnce) {
  add(read_to(100));
  add(replaced());
  add(read_to(50));
  const auto before = take(0);
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->restarted);
  EXPECT_EQ(before->appended->to, 100u);
  EXPECT_TRUE(outbox_.recorded(*before->appended->checkpoint));
  const auto after = take(0);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->from, 100u);
  EXPECT_EQ(after->from_generation, 0u);
  EXPECT_EQ(after->restarted->lost_from, 100u);
  EXPECT_EQ(after->appended->from, 0u);
  EXPECT_EQ(after->appended->to, 50u);
  EXPECT_EQ(after->appended->checkpoint->generation, 1u);
}

TEST_F(OutboxTest, FileRestartWithoutBytesHasItsOwnCheckpoint) {
  add(replaced());
  const auto output = take(0);
  ASSERT_TRUE(output);
  EXPECT_FALSE(output->appended);
  EXPECT_TRUE(outbox_.recorded(*output->restarted->checkpoint));
  EXPECT_TRUE(outbox_.empty());
}

TEST_F(OutboxTest, DroppedStretchDropsEverythingAfterIt) {
  add(read_to(100));
  const auto recorded = take(0, true);
  outbox_.recorded(*recorded->appended->checkpoint);
  add(read_to(200, 1));
  ASSERT_TRUE(take(0));
  add(read_to(300));
  EXPECT_FALSE(outbox_.recorded(*recorded->appended->checkpoint)) << "the log has not moved";
  EXPECT_TRUE(outbox_.empty());
  EXPECT_EQ(outbox_.lines(), 1u);
  reached_ = *recorded->appended->checkpoint;
  add(read_to(300, 1));
  EXPECT_EQ(take(0)->from, 100u);
}

TEST_F(OutboxTest, RepeatedAcknowledgementChangesNothing) {
  add(read_to(100));
  const auto output = take(0, true);
  EXPECT_TRUE(outbox_.recorded(*output->appended->checkpoint));
  add(read_to(200));
  EXPECT_TRUE(outbox_.recorded(*output->appended->checkpoint));
  EXPECT_EQ(take(0, true)->appended->to, 200u);
}

TEST_F(OutboxTest, TooManyUnrecordedFindingsStopReading) {
  add(read_to(100, 255));
  EXPECT_FALSE(outbox_.full(kLimits));
  add(read_to(200, 1));
  EXPECT_TRUE(outbox_.full(kLimits));
  const auto output = take(0);
  EXPECT_FALSE(outbox_.full(kLimits)) << "counts in flight belong to the log";
  for (int i = 0; i < 3; ++i) add(replaced());
  EXPECT_TRUE(outbox_.full(kLimits));
}

/// Adds repeats of a known problem to a step.
ScanResult repeats(ScanResult step, const std::string& fingerprint, std::uint64_t count) {
  schema::IssueRepeatedT repeated;
  repeated.fingerprint = fingerprint;
  repeated.count = count;
  repeated.last_line_no = step.checkpoint.line_no;
  step.findings.push_back({domain_fact(std::move(repeated)), {}});
  return step;
}

TEST_F(OutboxTest, RepeatsOfAProblemAreSummed) {
  add(repeats(read_to(100), "a", 3));
  add(repeats(read_to(200), "b", 1));
  add(repeats(read_to(300), "a", 4));
  EXPECT_FALSE(take(5 * kSecondUs - 1));
  const auto output = take(5 * kSecondUs);
  ASSERT_TRUE(output);
  ASSERT_EQ(output->findings.size(), 2u);
  const auto& first = *std::get<schema::IssueFactUnion>(output->findings[0].fact).AsIssueRepeated();
  EXPECT_EQ(first.fingerprint, "a");
  EXPECT_EQ(first.count, 7u);
  EXPECT_EQ(first.last_line_no, 3u);
}

}  // namespace
}  // namespace luzia
