// Classes of characters, and blanks around text.
#include "engine/base/characters.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(Characters, BytesAboveAsciiBelongToNoClass) {
  for (const char c : {'\x80', '\xe4', '\xff'}) {
    EXPECT_FALSE(is_letter_or_digit(c));
    EXPECT_FALSE(is_control(c));
  }
  EXPECT_TRUE(is_control('\0') && is_control('\x1f') && is_control('\x7f') && !is_control(' '));
  EXPECT_TRUE(is_letter('z') && is_letter('A') && is_digit('9') && !is_letter('[') && !is_digit(':'));
}

TEST(Characters, TrimmingKeepsBlanksWithin) {
  EXPECT_EQ(trimmed("\r\n a b\t"), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("--a-b..", "-."), "a-b");
}

TEST(Characters, ControlCharactersBecomeBlanks) {
  EXPECT_EQ(without_control_characters("a\nb\x1b[0m\x7f\xc3\xa4"), "a b [0m \xc3\xa4");
}

TEST(Characters, OnlyWhitespaceIsBlank) {
  EXPECT_TRUE(is_blank("") && is_blank(" \t\r\n"));
  EXPECT_FALSE(is_blank(" . "));
}

}  // namespace
}  // namespace luzia
