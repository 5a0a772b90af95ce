// Bars in a terminal: they fit, contain no control characters, and use ASCII if nothing else works.
#include "projections/rows/bars.h"

#include "projections/rows/buckets.h"
#include "projections/rows/harmless.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

std::vector<std::string> lines_of_bars(const std::vector<Bar>& bars, const TableStyle& style) {
  const std::string text = bars_text(bars, style);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Bars, LongestBarFillsTheWidth) {
  const TableStyle ascii{.width = 30, .colour = false, .unicode = false};
  const auto lines = lines_of_bars({{"a", 20, 20, "20"}, {"bb", 10, 5, "5 of 10"}, {"c", 0, 0, "0"}}, ascii);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "a   ################# 20");
  EXPECT_EQ(lines[1], "bb  ####----- 5 of 10");
  EXPECT_EQ(lines[2], "c   0");
}

TEST(Bars, EighthsOfAColumnAreDrawnInUnicode) {
  const TableStyle style{.width = 20, .colour = false, .unicode = true};
  const auto lines = lines_of_bars({{"a", 100, 100, "x"}, {"b", 1, 1, "y"}, {"c", 100, 99, "z"}}, style);
  EXPECT_EQ(lines[1], "b  ▏ y");
  EXPECT_THAT(lines[2], HasSubstr("█░ z")) << "a nonzero value is visible";
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 20U) << line;
}

TEST(Bars, LabelsAreSanitizedAndFit) {
  const TableStyle style{.width = 60, .colour = false, .unicode = true};
  const auto lines = lines_of_bars({{"evil \x1b[2J" + std::string(99, 'x'), 3, 3, "3"}}, style);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], Not(HasSubstr("\x1b")));
  EXPECT_LE(display_width(lines[0]), 60U);
}

TEST(Bars, NoDataDrawsNothing) {
  EXPECT_THAT(bars_text({}, {}), IsEmpty());
  EXPECT_THAT(duration_bars({}), IsEmpty());
  EXPECT_THAT(duration_bars({0, 0, 0}), IsEmpty());
}

TEST(Bars, DurationsAreGroupedByDoubling) {
  std::vector<std::uint64_t> buckets(64);
  buckets[bucket_of(300)] = 2;
  buckets[bucket_of(310)] += 1;
  buckets[bucket_of(1'500)] = 4;
  const auto bars = duration_bars(buckets);
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_EQ(bars[0].label, "< 512 ms");
  EXPECT_EQ(bars[0].note, "3");
  EXPECT_EQ(bars[1].note, "0");
  EXPECT_EQ(bars[2].label, "< 2.0s");
  EXPECT_EQ(bars[2].note, "4");
}

}  // namespace
}  // namespace luzia
