// Any text as one short line.
#include "engine/base/short_line.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(ShortLine, BlanksAndControlsBecomeOneBlank) {
  EXPECT_EQ(short_line(" \t a\n\n b\x1b\x7f c \r\n"), "a b c");
  EXPECT_EQ(short_line(""), "");
  EXPECT_EQ(short_line(" \n "), "");
  EXPECT_EQ(short_line(std::string_view("a\0b", 3)), "a b");
}

TEST(ShortLine, CountsCharactersNotBytes) {
  EXPECT_EQ(short_line("äöü", 3), "äöü");
  EXPECT_EQ(short_line("äöüß", 3), "äö…");
  EXPECT_EQ(short_line("ab  cd", 5), "ab cd");
  EXPECT_EQ(short_line("ab  cde", 5), "ab c…");
  EXPECT_EQ(short_line("ab", 1), "…");
}

TEST(ShortLine, InvalidBytesAreReplaced) {
  EXPECT_EQ(short_line("a\xff\xfe!"), "a\uFFFD\uFFFD!");
}

TEST(ShortLine, LongTextHasTheLengthOfASummary) {
  const std::string line = short_line(std::string(100'000, 'x'));
  EXPECT_EQ(line, std::string(kSummaryCharacters - 1, 'x') + "…");
}

}  // namespace
}  // namespace luzia
