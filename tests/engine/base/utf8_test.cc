// Text from outside: well-formed text stays, the rest is replaced, and no character is cut.
#include "engine/base/utf8.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace luzia {
namespace {

constexpr std::size_t kPlenty = 1000;

TEST(BoundedUtf8, WellFormedTextStaysAsItIs) {
  for (const std::string text : {"", "a", "seven b", "eight by", "nine byte", "gr\u00fcn, \u20ac, \U0001F600",
                                 "\u00fc after and before \u00fc", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF"}) {
    EXPECT_EQ(bounded_utf8(text, kPlenty), text);
  }
  EXPECT_EQ(bounded_utf8(std::string("a\0b", 3), kPlenty), std::string("a\0b", 3));
}

TEST(BoundedUtf8, EachIllFormedSequenceBecomesOneReplacement) {
  const std::string sign(kReplacement);
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"\x80", sign},
      {"a\xFFz", "a" + sign + "z"},
      {"\xC0\xAF", sign + sign},
      {"\xE2\x82", sign},                               // the first bytes of a character
      {"12345678\xE2\x82z", "12345678" + sign + "z"},   // after eight bytes that the code checks together
      {"\xED\xA0\x80", sign + sign + sign},             // half of a surrogate pair
      {"\xF4\x90\x80\x80", sign + sign + sign + sign},  // beyond the last code point
      {"\xF0\x9F\x98z\xF0\x9F\x98\x80", sign + "z\U0001F600"}};
  for (const auto& [text, expected] : texts) EXPECT_EQ(bounded_utf8(text, kPlenty), expected);
}

TEST(BoundedUtf8, IsCutBetweenCharacters) {
  EXPECT_EQ(bounded_utf8("0123456789", 9), "012345678");
  EXPECT_EQ(bounded_utf8("0123456789", 0), "");
  EXPECT_EQ(bounded_utf8("1234567\u20ac", 9), "1234567");
  EXPECT_EQ(bounded_utf8("1234567\u20ac9", 10), "1234567\u20ac");
  EXPECT_EQ(bounded_utf8("a\xFFz", 3), "a") << "no room for the replacement character";
}

/// For any bytes: each shorter bound gives a prefix of the longer result, of maximum length, and applying the
/// bound again changes nothing.
TEST(BoundedUtf8, ShorterBoundsGivePrefixes) {
  static constexpr auto kPieces = std::to_array<std::string_view>(
      {"a", "ascii text", "\u00fc", "\u20ac", "\U0001F600", "\x80", "\xFF", "\xE2\x82", "\xED\xA0\x80"});
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (std::size_t pieces = random() % 12; pieces > 0; --pieces) text += kPieces[random() % kPieces.size()];
    const std::string whole = bounded_utf8(text, kPlenty);
    EXPECT_EQ(bounded_utf8(whole, kPlenty), whole);
    for (std::size_t bound = 0; bound < whole.size(); ++bound) {
      const std::string cut = bounded_utf8(text, bound);
      EXPECT_LE(cut.size(), bound);
      EXPECT_LT(bound - cut.size(), 4u);
      EXPECT_TRUE(whole.starts_with(cut));
      EXPECT_EQ(bounded_utf8(cut, kPlenty), cut);
    }
  }
}

}  // namespace
}  // namespace luzia
