// Detects an agent that repeats itself, and lines that only look like it.
#include "adapters/output_log/repetition.h"

#include <gtest/gtest.h>

#include <vector>

namespace luzia {
namespace {

class RepetitionTest : public testing::Test {
 protected:
  void print(const std::vector<std::string>& round, int times) {
    for (int i = 0; i < times; ++i) {
      for (const std::string& text : round) {
        const std::uint64_t end = offset_ + text.size() + 1;
        detector_.add({text, offset_, end, ++number_});
        offset_ = end;
      }
    }
  }

  RepetitionDetector detector_;
  std::uint64_t offset_ = 0, number_ = 0;
};

TEST_F(RepetitionTest, RepeatedLineIsCounted) {
  print({"retrying"}, 100);
  const Repetition seen = detector_.take();
  EXPECT_EQ(seen.cycle, 1u);
  EXPECT_EQ(seen.repeats, 100u);
  EXPECT_EQ(seen.line, "retrying");
  EXPECT_EQ(seen.from, 99u * 9);
  EXPECT_EQ(seen.to, 100u * 9);
}

TEST_F(RepetitionTest, CycleOfLinesIsCountedInRounds) {
  print({"plan", "edit", "test failed"}, 20);
  const Repetition seen = detector_.take();
  EXPECT_EQ(seen.cycle, 3u);
  EXPECT_EQ(seen.repeats, 20u);
  EXPECT_EQ(seen.line, "test failed");
  EXPECT_EQ(offset_ - seen.from, 5u + 5u + 12u);
  EXPECT_EQ(seen.to, offset_);
}

TEST_F(RepetitionTest, CyclesUpToTheMaximumLengthAreFound) {
  print({"1", "2", "3", "4", "5", "6", "7", "8"}, 20);
  EXPECT_EQ(detector_.take().cycle, RepetitionDetector::kLongestCycle);
  print({"something else"}, 1);
  print({"1", "2", "3", "4", "5", "6", "7", "8", "9"}, 200);
  EXPECT_EQ(detector_.take().repeats, 0u);
}

TEST_F(RepetitionTest, DifferentLinesAreNoRepetition) {
  for (int i = 0; i < 1000; ++i) print({"step " + std::to_string(i) + " of 1000"}, 1);
  EXPECT_EQ(detector_.take().repeats, 0u);
}

TEST_F(RepetitionTest, DifferenceAnywhereInTheLineCounts) {
  for (std::size_t at = 0; at < 80; ++at) {
    for (int i = 0; i < 30; ++i) {
      std::string line(80, '.');
      line[at] = static_cast<char>('a' + i % 26);
      print({line}, 1);
    }
  }
  EXPECT_EQ(detector_.take().repeats, 0u);
}

TEST_F(RepetitionTest, AnotherLineRestartsTheCount) {
  print({"same"}, 60);
  print({"other"}, 1);
  print({"same"}, 40);
  EXPECT_EQ(detector_.take().repeats, 60u);
  print({"same"}, 1);
  EXPECT_EQ(detector_.take().repeats, 41u);
}

TEST_F(RepetitionTest, FewRoundsAreNotReported) {
  print({"same"}, 9);
  EXPECT_EQ(detector_.take().repeats, 0u);
  print({"same"}, 1);
  EXPECT_EQ(detector_.take().repeats, 10u);
}

TEST_F(RepetitionTest, CountContinuesBetweenLooks) {
  print({"a", "b"}, 30);
  EXPECT_EQ(detector_.take().repeats, 30u);
  print({"a", "b"}, 30);
  EXPECT_EQ(detector_.take().repeats, 60u);
  EXPECT_EQ(detector_.take().repeats, 0u);
}

TEST_F(RepetitionTest, HugeLineIsKeptInPart) {
  print({std::string(50'000, 'x')}, 20);
  EXPECT_EQ(detector_.take().line, std::string(kMaxRepeatedText, 'x'));
}

}  // namespace
}  // namespace luzia
