#include "engine/base/ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace luzia {
namespace {

constexpr TimeUs kIntake = 1'795'253'859 * kSecondUs;

TEST(IdSource, IdsAreUniqueAndSortedByIntake) {
  IdSource source(7, "");
  std::vector<std::string> ids;
  TimeUs now = kIntake;
  for (int i = 0; i < 20'000; ++i) {
    ids.push_back(source.next(now));
    now += i % 5 == 0 ? kMillisecondUs : 3;
  }
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  for (const auto& id : ids) ASSERT_TRUE(is_job_id(id)) << id;
}

TEST(IdSource, MoreThanAThousandInOneMillisecondStayUniqueAndSorted) {
  IdSource source(7, "");
  std::string last;
  for (int i = 0; i < 5'000; ++i) {
    const std::string id = source.next(kIntake);
    ASSERT_LT(last, id);
    last = id;
  }
}

TEST(IdSource, ClockStepBackKeepsIdsAscending) {
  IdSource source(7, "");
  std::string last = source.next(kIntake);
  for (const TimeUs now : {kIntake - kDayUs, TimeUs{0}, TimeUs{-1}, kIntake - 1, kIntake}) {
    const std::string id = source.next(now);
    EXPECT_LT(last, id);
    last = id;
  }
}

TEST(IdSource, ClockBeyondTheRangeStopsAdvancing) {
  IdSource source(7, "");
  const TimeUs last_told = *parse_time("2059-11-04T00:00:00Z", 0), year_2100 = *parse_time("2100-01-01", 0),
               year_9999 = *parse_time("9999-12-31", 0);
  std::string last = source.next(kIntake);
  for (const TimeUs now : {year_2100, year_9999, kIntake + kDayUs, last_told, year_2100, kIntake}) {
    const std::string id = source.next(now);
    EXPECT_LT(last, id) << format_rfc3339(now);
    last = id;
  }
}

TEST(IdSource, RestartedSourceContinuesAfterTheLastId) {
  std::string last;
  {
    IdSource source(7, "");
    for (int i = 0; i < 10; ++i) last = source.next(kIntake);
  }
  IdSource restarted(7, last);
  EXPECT_LT(last, restarted.next(kIntake));
  IdSource clock_back(7, last);
  EXPECT_LT(last, clock_back.next(kIntake - kDayUs));
}

TEST(IdSource, SitesNeverShareAnId) {
  std::set<std::string> ids;
  for (std::uint16_t site = 0; site < 100; ++site) {
    IdSource source(site, "");
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(ids.insert(source.next(kIntake)).second);
  }
  IdSource last_site(32767, "");
  EXPECT_TRUE(last_site.next(kIntake).ends_with("zzz"));
}

TEST(IsJobId, AcceptsThirteenCharactersOfTheAlphabet) {
  EXPECT_TRUE(is_job_id("0123456789abc"));
  EXPECT_TRUE(is_job_id("defghjkmnpqrs"));
  EXPECT_TRUE(is_job_id("tvwxyz0000000"));
  for (const char* text :
       {"", "0123456789ab", "0123456789abcd", "0123456789abi", "0123456789abl", "0123456789abo",
        "0123456789abu", "0123456789abC", "0123456789ab ", "../../../etc/", "0123456789ab\n"}) {
    EXPECT_FALSE(is_job_id(text)) << text;
  }
}

TEST(IsJobIdPrefix, AcceptsAnyPrefix) {
  EXPECT_TRUE(is_job_id_prefix("k"));
  EXPECT_TRUE(is_job_id_prefix("0123456789abc"));
  EXPECT_FALSE(is_job_id_prefix(""));
  EXPECT_FALSE(is_job_id_prefix("ku"));
  EXPECT_FALSE(is_job_id_prefix("0123456789abcd"));
}

}  // namespace
}  // namespace luzia
