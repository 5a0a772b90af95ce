// The reset of a usage limit in words, by the clock on the machine's wall.
#include "adapters/agents/limit_words.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace luzia {
namespace {

/// The zone of the process while a test runs.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  std::optional<std::string> before_;
};

std::string reset(const char* words, const char* now) {
  const auto read_at = parse_time(now, 0);
  EXPECT_TRUE(read_at) << now;
  const TimeUs us = reset_in_words(words, *read_at);
  return us == 0 ? "unknown" : format_rfc3339(us).substr(0, 16);
}

// Two hours ahead of UTC, without a database of zones.
constexpr const char* kAhead = "AAA-2";

TEST(ResetInWords, OfTodayIsByTheClockOnTheWall) {
  const Zone zone(kAhead);
  const char* now = "2026-11-22T09:30:00Z";
  EXPECT_EQ(reset("You’ve hit your usage limit. Try again at 12:07 PM.", now), "2026-11-22T10:08");
  EXPECT_EQ(reset("purchase more credits or try again at 1:05 PM.", now), "2026-11-22T11:06");
  EXPECT_EQ(reset("try again at 11:59 PM.", now), "2026-11-22T22:00");
}

TEST(ResetInWords, TodayIsTheDayOnTheWall) {
  const Zone zone(kAhead);
  EXPECT_EQ(reset("try again at 12:30 AM.", "2026-11-22T22:10:00Z"), "2026-11-22T22:31");
}

TEST(ResetInWords, ThatIsOverWhenItIsReadStaysInThePast) {
  const Zone zone("UTC0");
  EXPECT_EQ(reset("try again at 8:00 AM.", "2026-11-22T09:30:00Z"), "2026-11-22T08:01");
}

TEST(ResetInWords, MayNameTheDay) {
  const Zone zone("UTC0");
  const char* now = "2026-11-22T09:30:00Z";
  EXPECT_EQ(reset("try again at Nov 23rd, 2026 11:40 AM.", now), "2026-11-23T11:41");
  EXPECT_EQ(reset("try again at Jan 1st, 2027 12:00 AM.", now), "2027-01-01T00:01");
}

TEST(ResetInWords, ThatNameNoMomentAreUnknown) {
  const Zone zone("UTC0");
  const char* now = "2026-11-22T09:30:00Z";
  for (const char* words : {"", "Try again later.", "try again at noon.", "try again at Nov 23rd.",
                            "try again at 11:40", "try again at "}) {
    EXPECT_EQ(reset(words, now), "unknown") << words;
  }
}

}  // namespace
}  // namespace luzia
