// Time zones: files of tzdata, their rules, and which moments a local clock shows.
#include "engine/schedule/time_zone.h"

#include <gtest/gtest.h>

#include <string>

namespace luzia {
namespace {

void put_number(std::string& bytes, std::int64_t number, int size) {
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(number >> shift));
}

std::string zone_header(int changes, int types, int leaps = 0) {
  std::string bytes = "TZif2" + std::string(15, '\0');
  for (const int count : {0, 0, leaps, changes, types, 4}) put_number(bytes, count, 4);
  return bytes;
}

/// A zone at +1:00 that changed to +2:00 at second 1000, and then follows `rule`.
std::string zone_file(const std::string& rule, int leaps = 0) {
  std::string bytes = zone_header(0, 1, leaps);
  bytes += std::string(6 + 4, '\0') + std::string(static_cast<std::size_t>(leaps) * 8, '\0');
  bytes += zone_header(1, 2, leaps);
  put_number(bytes, 1'000, 8);
  bytes.push_back('\1');
  for (const int offset : {3'600, 7'200}) {
    put_number(bytes, offset, 4);
    bytes += std::string(2, '\0');
  }
  bytes += std::string("ABC\0", 4) + std::string(static_cast<std::size_t>(leaps) * 12, '\0');
  return bytes + "\n" + rule + "\n";
}

TEST(TimeZone, AFileHasChangesAndThenItsRule) {
  const auto zone = parse_zone_file(zone_file("CET-1CEST,M3.5.0,M10.5.0/3"));
  ASSERT_TRUE(zone);
  EXPECT_EQ(offset_at(*zone, 999), 3'600);
  EXPECT_EQ(offset_at(*zone, 1'000), 7'200);
  constexpr Second kSummer2100 = 4'118'342'400;  // 2100-07-03
  EXPECT_EQ(offset_at(*zone, kSummer2100), 7'200);
  EXPECT_EQ(offset_at(*zone, kSummer2100 + 180 * 86'400), 3'600);
  const auto without_rule = parse_zone_file(zone_file(""));
  ASSERT_TRUE(without_rule);
  EXPECT_EQ(offset_at(*without_rule, kSummer2100), 7'200);
}

TEST(TimeZone, BrokenFilesAreRefused) {
  const std::string whole = zone_file("CET-1CEST,M3.5.0,M10.5.0/3");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_zone_file(whole.substr(0, size))) << size;
  EXPECT_FALSE(parse_zone_file(zone_file("nonsense")));
  EXPECT_FALSE(parse_zone_file(zone_file("UTC0", 1))) << "leap seconds";
  std::string many = whole;
  many[4 + 1 + 15 + 12] = '\x7f';  // the number of changes
  EXPECT_FALSE(parse_zone_file(many));
}

TEST(TimeZone, RulesAreThoseOfPosix) {
  EXPECT_EQ(offset_at(*parse_zone_rule("EST5"), 0), -5 * 3'600);
  EXPECT_EQ(offset_at(*parse_zone_rule("<-0330>3:30"), 0), -(3 * 3'600 + 1'800));
  EXPECT_EQ(offset_at(*parse_zone_rule("<+14>-14"), 0), 14 * 3'600);
  // Without days, those of the United States.
  EXPECT_EQ(offset_at(*parse_zone_rule("EST5EDT"), 1'783'000'000), -4 * 3'600);  // July 2026
  // South of the equator, and days counted with and without 29 February.
  EXPECT_EQ(offset_at(*parse_zone_rule("AAA-10BBB,M10.1.0,M4.1.0/3"), 1'767'225'600), 11 * 3'600);
  const auto julian = parse_zone_rule("AAA0BBB,J60/0,J300/0"),
             counted = parse_zone_rule("AAA0BBB,60/0,300/0");
  constexpr Second kMarch2028 = 1'835'481'600;  // 2028-03-01, the 60th and 61st day
  EXPECT_EQ(offset_at(*julian, kMarch2028), 3'600);
  EXPECT_EQ(offset_at(*julian, kMarch2028 - 1), 0);
  EXPECT_EQ(offset_at(*counted, kMarch2028), 3'600);
  EXPECT_EQ(offset_at(*counted, kMarch2028 - 1), 0);
  // Summer time that never ends.
  EXPECT_EQ(offset_at(*parse_zone_rule("AAA3BBB,0/0,J365/25"), 1'835'481'600), -2 * 3'600);
  for (const char* bad : {"", "E", "EST", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.1.0,M11.1.0", "<EST5",
                          "EST5EDT,M3.2.0,M11.1.0x", "EST99", "EST5EDT,J0,J1", "EST5EDT,M3.6.0,M11.1.0"})
    EXPECT_FALSE(parse_zone_rule(bad)) << bad;
}

TEST(TimeZone, ALocalSecondIsSkippedOrComesTwice) {
  TimeZone zone;
  zone.offset = 0;
  zone.changes = {{10'000, 0, 3'600}, {50'000, 3'600, 0}};
  const auto moment = [&](Second local) { return moment_of(zone, local); };
  EXPECT_EQ(moment(9'999).first, 9'999);
  EXPECT_FALSE(moment(10'000).exists);
  EXPECT_EQ(moment(10'000).first, 10'000);
  EXPECT_EQ(moment(13'599).first, 10'000);
  EXPECT_TRUE(moment(13'600).exists);
  EXPECT_EQ(moment(13'600).first, 10'000);
  EXPECT_EQ(moment(51'000).first, 47'400) << "the first of two";
  EXPECT_EQ(moment(53'600).first, 53'600);
  EXPECT_EQ(moment(1'000'000).first, 1'000'000);
}

}  // namespace
}  // namespace luzia
