// Parses when a usage limit resets from an agent's message, in local time.
#include "adapters/agents/limit_words.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace luzia {
namespace {

/// Sets the process's time zone for the duration of a test.
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

/// `written`: when the words were written; empty: they are read at once.
std::string reset(const char* words, const char* now, const char* written = "") {
  const auto read_at = parse_time(now, 0);
  const auto written_at = *written == '\0' ? read_at : parse_time(written, 0);
  EXPECT_TRUE(read_at && written_at) << now << written;
  const TimeUs us = reset_in_words(words, *written_at, *read_at);
  return us == 0 ? "unknown" : format_rfc3339(us).substr(0, 16);
}

// Two hours ahead of UTC; needs no time zone database.
constexpr const char* kAhead = "AAA-2";

TEST(ResetInWords, TimeOfDayIsLocalTime) {
  const Zone zone(kAhead);
  const char* now = "2026-11-22T09:30:00Z";
  EXPECT_EQ(reset("You’ve hit your usage limit. Try again at 12:07 PM.", now), "2026-11-22T10:08");
  EXPECT_EQ(reset("purchase more credits or try again at 1:05 PM.", now), "2026-11-22T11:06");
  EXPECT_EQ(reset("try again at 11:59 PM.", now), "2026-11-22T22:00");
}

TEST(ResetInWords, TodayIsTheLocalDay) {
  const Zone zone(kAhead);
  EXPECT_EQ(reset("try again at 12:30 AM.", "2026-11-22T22:10:00Z"), "2026-11-22T22:31");
}

TEST(ResetInWords, TimeAlreadyPastWhenReadIsUnknown) {
  const Zone zone("UTC0");
  EXPECT_EQ(reset("try again at 9:29 AM.", "2026-11-22T09:30:00Z"), "unknown");
  EXPECT_EQ(reset("try again at 9:30 AM.", "2026-11-22T09:30:00Z"), "2026-11-22T09:31");
  EXPECT_EQ(reset("try again at Nov 21st, 2026 11:40 AM.", "2026-11-22T09:30:00Z"), "unknown");
}

TEST(ResetInWords, TodayIsTheDayOfWriting) {
  const Zone zone("UTC0");
  const char* written = "2026-11-22T22:50:00Z";
  EXPECT_EQ(reset("try again at 11:40 PM.", "2026-11-22T23:10:00Z", written), "2026-11-22T23:41");
  EXPECT_EQ(reset("try again at 11:40 PM.", "2026-11-23T00:10:00Z", written),
            "unknown");  // it has passed: not tonight's 23:40
}

TEST(ResetInWords, MayNameTheirZone) {
  const Zone zone(kAhead);
  const char* now = "2026-11-22T22:30:00Z";  // local time: already tomorrow
  for (const char* words : {"try again at 11:40 PM UTC", "try again at 11:40 PM UTC.",
                            "try again at 11:40 PM (GMT).", "try again at Nov 22nd, 2026 11:40 PM UTC, or"}) {
    EXPECT_EQ(reset(words, now), "2026-11-22T23:41") << words;
  }
  for (const char* words : {"try again at 11:40 PM PST.", "try again at 11:40 PM (America/New_York)",
                            "try again at 11:40 PM Pacific time", "try again at 11:40 PM +02:00",
                            "try again at 11:40 PM UTC+2", "try again at 11:40 PMish"}) {
    EXPECT_EQ(reset(words, now), "unknown") << words;
  }
}

TEST(ResetInWords, TextMayFollowATimeWithoutAZone) {
  const Zone zone(kAhead);
  const char* now = "2026-11-22T09:30:00Z";
  for (const char* words : {"try again at 12:07 PM", "try again at 12:07 PM. Upgrade to Pro",
                            "try again at 12:07 PM or buy credits", "try again at 12:07 PM, PST or not",
                            "try again at 12:07 PM\nUpgrade to Pro", "try again at 12:07 PM (local time)"}) {
    EXPECT_EQ(reset(words, now), "2026-11-22T10:08") << words;
  }
}

TEST(ResetInWords, MayNameTheDay) {
  const Zone zone("UTC0");
  const char* now = "2026-11-22T09:30:00Z";
  EXPECT_EQ(reset("try again at Nov 23rd, 2026 11:40 AM.", now), "2026-11-23T11:41");
  EXPECT_EQ(reset("try again at Jan 1st, 2027 12:00 AM.", now), "2027-01-01T00:01");
}

TEST(ResetInWords, TextWithoutATimeIsUnknown) {
  const Zone zone("UTC0");
  const char* now = "2026-11-22T09:30:00Z";
  for (const char* words : {"", "Try again later.", "try again at noon.", "try again at Nov 23rd.",
                            "try again at 11:40", "try again at "}) {
    EXPECT_EQ(reset(words, now), "unknown") << words;
  }
}

TEST(ResetInWords, ClaudeNamesATimeOfDay) {
  const Zone zone(kAhead);
  const char* now = "2026-11-22T09:30:00Z";  // local time: 11:30
  EXPECT_EQ(reset("You've hit your 5-hour limit · resets 12:33pm", now), "2026-11-22T10:34");
  EXPECT_EQ(reset("You've hit your 5-hour limit · resets 11:33am (UTC)", now), "2026-11-22T11:34");
  EXPECT_EQ(reset("limit reached · resets 3pm (AAA-2)", now), "2026-11-22T13:01") << "the process's own";
  EXPECT_EQ(reset("limit reached · resets 3pm (America/New_York)", now), "unknown");
  EXPECT_EQ(reset("weekly limit reached · resets Nov 24, 5pm", now), "2026-11-24T15:01");
  EXPECT_EQ(reset("weekly limit reached · resets Nov 24, 5:30pm (UTC)", now), "2026-11-24T17:31");
  EXPECT_EQ(reset("limit reached; it resets soon", now), "unknown");
  EXPECT_EQ(reset("limit reached, resets ", now), "unknown");
}

TEST(ResetInWords, ClaudesPastTimeMeansTomorrow) {
  const Zone zone("UTC0");
  EXPECT_EQ(reset("resets 3am", "2026-11-22T22:10:00Z"), "2026-11-23T03:01");
  EXPECT_EQ(reset("resets 12am", "2026-12-31T22:10:00Z"), "2027-01-01T00:01");
  EXPECT_EQ(reset("resets 11pm", "2026-11-23T08:00:00Z", "2026-11-22T22:10:00Z"), "unknown");
  EXPECT_EQ(reset("resets Nov 20, 5pm", "2026-11-22T22:10:00Z"), "unknown");
}

TEST(ResetInWords, PastDateMeansNextYearIfThatIsNear) {
  const Zone zone(kAhead);
  const char* now = "2026-12-28T22:10:00Z";
  EXPECT_EQ(reset("resets Jan 2, 5pm", now), "2027-01-02T15:01");
  EXPECT_EQ(reset("resets Jan 2, 5pm (UTC)", now), "2027-01-02T17:01");
  EXPECT_EQ(reset("try again at Jan 2nd, 5:30 PM", now), "2027-01-02T15:31");
  EXPECT_EQ(reset("resets Jan 28, 11:59pm", now), "2027-01-28T22:00") << "31 days";
  EXPECT_EQ(reset("resets Jan 29, 12:30am", now), "unknown") << "over 31 days";
  EXPECT_EQ(reset("resets Dec 27, 5pm", now), "unknown");
  EXPECT_EQ(reset("resets Jan 2, 5pm", "2027-01-03T08:00:00Z", now), "unknown") << "over by now";
  EXPECT_EQ(reset("resets Jan 2, 2026, 5pm", now), "unknown");
  EXPECT_EQ(reset("try again at Jan 2nd, 2026 5:30 PM", now), "unknown") << "that year";
}

TEST(ResetInWords, GeminiNamesADuration) {
  const Zone zone(kAhead);
  const char* now = "2026-11-22T09:30:00Z";
  EXPECT_EQ(
      reset("You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.", now),
      "2026-11-22T18:14");
  EXPECT_EQ(reset("Your quota will reset after 40m.", now), "2026-11-22T10:10");
  EXPECT_EQ(reset("Your quota will reset after 2d1h", now), "2026-11-24T10:30");
  EXPECT_EQ(reset("Your quota will reset after 90s.", "2026-11-22T10:00:00Z", now), "2026-11-22T09:31")
      << "the limit has already reset";
  for (const char* words : {"reset after", "reset after a while", "reset after 7 days", "reset after 12",
                            "reset after 12345678s", "reset after s"}) {
    EXPECT_EQ(reset(words, now), "unknown") << words;
  }
}

}  // namespace
}  // namespace luzia
