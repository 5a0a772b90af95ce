// Which job alone can have changed something at some time. Each case draws the jobs' work, one column a
// second.
#include "engine/job/work_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace luzia {
namespace {

using testing::IsEmpty;

TimeUs at_column(std::size_t column) {
  return static_cast<TimeUs>(column + 1) * kSecondUs;
}

/// Each row is a job (row 0 is `a`): `=` works, `.` is known to rest, blank: not running.
WorkTimes drawn(const std::vector<std::string>& rows) {
  WorkTimes times;
  const auto is_there = [](const std::string& row, std::size_t at) {
    return at < row.size() && row[at] != ' ';
  };
  for (std::size_t at = 0; at <= rows.front().size(); ++at) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      const bool before = at > 0 && is_there(rows[i], at - 1);
      if (!before && is_there(rows[i], at)) times.begin(name, at_column(at));
      if (before && !is_there(rows[i], at) && at < rows[i].size()) times.end(name, at_column(at));
      const std::size_t first = rows[i].find('.');
      if (before && rows[i][at - 1] == '.') times.rested(name, at_column(first), at_column(at));
    }
  }
  return times;
}

/// The job responsible in the middle of each second; `-`: nobody can be named.
std::string named(const WorkTimes& times, std::size_t seconds) {
  std::string names;
  for (std::size_t second = 0; second < seconds; ++second) {
    const TimeUs middle = at_column(second) + kSecondUs / 2;
    const std::string_view job = times.only_one_at_work(middle, middle + 1000);
    names += job.empty() ? "-" : std::string(job);
  }
  return names;
}

TEST(WorkTimesTest, OnlyAJobWorkingAloneIsNamed) {
  EXPECT_EQ(named(drawn({" =====", "   ==="}), 6), "-aa---");
  EXPECT_EQ(named(drawn({"====  ", "  ===="}), 6), "aa--bb");
  EXPECT_EQ(named(drawn({"======", "  ==  "}), 6), "aa--aa");
  EXPECT_EQ(named(drawn({"====  ", "==    ", "   ==="}), 6), "--a-cc");
}

TEST(WorkTimesTest, RestingJobIsNotNamed) {
  EXPECT_EQ(named(drawn({"==....", "  ===="}), 6), "aabbbb");
  EXPECT_EQ(named(drawn({"==..==", "  ==.."}), 6), "aabbaa");
  EXPECT_EQ(named(drawn({"==....", "  ==.."}), 6), "aabb--") << "neither job: a person did it";
  EXPECT_EQ(named(drawn({"==....", "  ====", "   ==="}), 6), "aab---");
}

TEST(WorkTimesTest, UndatableChangeIsNotAttributed) {
  const WorkTimes times = drawn({"====  ", "  ===="});
  EXPECT_EQ(times.only_one_at_work(at_column(0), at_column(2) - 1), "a");
  EXPECT_THAT(times.only_one_at_work(at_column(0), at_column(2)), IsEmpty());
  EXPECT_THAT(times.only_one_at_work(at_column(1), at_column(5)), IsEmpty());
  const WorkTimes resting = drawn({"=..=", "===="});
  EXPECT_EQ(resting.only_one_at_work(at_column(1), at_column(3)), "b");
  EXPECT_THAT(resting.only_one_at_work(at_column(1) - 1, at_column(3)), IsEmpty());
}

TEST(WorkTimesTest, RepeatedRestIsExtended) {
  WorkTimes times;
  times.begin("a", 0);
  times.begin("b", 0);
  times.rested("a", 10, 20);
  times.rested("a", 10, 30);
  EXPECT_EQ(times.only_one_at_work(15, 25), "b");
  // It ran between two rests.
  times.rested("a", 40, 50);
  EXPECT_THAT(times.only_one_at_work(25, 45), IsEmpty());
}

TEST(WorkTimesTest, RestAroundTheTimeCounts) {
  WorkTimes times;
  times.begin("a", 0);
  times.begin("b", 0);
  for (TimeUs from = 10; from < 500; from += 10) times.rested("a", from, from + 4);
  for (TimeUs at = 1; at < 500; ++at) {
    const bool rests = at >= 10 && at % 10 <= 4;
    EXPECT_EQ(times.only_one_at_work(at, at), rests ? "b" : "") << at;
  }
  EXPECT_EQ(times.only_one_at_work(490, 494), "b");
  EXPECT_THAT(times.only_one_at_work(490, 495), IsEmpty());
}

TEST(WorkTimesTest, ForgottenTimesAreNotAttributed) {
  WorkTimes times = drawn({"======"});
  times.forget_before(at_column(3));
  EXPECT_EQ(named(times, 6), "---aaa");
}

TEST(WorkTimesTest, ClockStepBackVoidsRestsAndAbsences) {
  WorkTimes times;
  times.begin("a", 100);
  times.begin("b", 100);
  times.rested("a", 110, 200);
  times.forget_before(120);
  EXPECT_THAT(times.only_one_at_work(150, 150), IsEmpty()) << "a rested before the clock step";
  times.begin("c", 300);
  times.end("a", 130);
  EXPECT_EQ(times.only_one_at_work(150, 150), "b");
  times.forget_before(140);
  EXPECT_THAT(times.only_one_at_work(150, 150), IsEmpty()) << "c has worked since before the clock step";
}

TEST(WorkTimesTest, AttemptsOfAJobCountAsOne) {
  WorkTimes times;
  times.begin("a", 0);
  times.begin("b", 0);
  times.end("a", 10);
  times.begin("a", 10);
  times.end("b", 5);
  EXPECT_EQ(times.only_one_at_work(10, 10), "a");
  EXPECT_EQ(times.working(), 1u);
}

TEST(WorkTimesTest, EndedJobIsKeptWhileOthersOverlap) {
  WorkTimes times;
  times.begin("long", 1);
  times.begin("short", 10);
  times.end("short", 20);
  EXPECT_THAT(times.only_one_at_work(15, 15), IsEmpty());
  EXPECT_EQ(times.first_begin(), 1);
  times.end("long", 30);
  EXPECT_EQ(times.first_begin(), 0);
  EXPECT_EQ(times.working(), 0u);
}

TEST(WorkTimesTest, HistoryIsBounded) {
  WorkTimes times;
  times.begin("long", 1);
  for (std::size_t i = 0; i < WorkTimes::kMostSpells + 5; ++i) {
    const auto at = static_cast<TimeUs>(10 + 10 * i);
    times.begin(std::to_string(i), at);
    times.end(std::to_string(i), at + 5);
  }
  EXPECT_THAT(times.only_one_at_work(8, 8), IsEmpty()) << "who worked then is forgotten";
  const auto last = static_cast<TimeUs>(10 * (WorkTimes::kMostSpells + 4));
  EXPECT_EQ(times.only_one_at_work(last + 8, last + 8), "long");
  EXPECT_THAT(times.only_one_at_work(last + 12, last + 12), IsEmpty());
  for (std::size_t i = 0; i < WorkTimes::kMostRests + 5; ++i) {
    times.rested("long", static_cast<TimeUs>(1'000'000 + 10 * i), static_cast<TimeUs>(1'000'005 + 10 * i));
  }
  EXPECT_EQ(times.only_one_at_work(1'000'002, 1'000'002), "long") << "that rest is forgotten";
}

}  // namespace
}  // namespace luzia
