#include "engine/base/whole_number.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(WholeNumber, AcceptsOnlyDigits) {
  EXPECT_EQ(parse_whole_number("0"), 0u);
  EXPECT_EQ(parse_whole_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", " 3", "3 ", "3x", "-1", "+1", "0x10", "1.0", "18446744073709551616"}) {
    EXPECT_FALSE(parse_whole_number(text)) << "'" << text << "'";
  }
}

TEST(WholeNumber, RefusesOverflow) {
  EXPECT_EQ(parse_whole_number<std::uint32_t>("4294967295"), ~std::uint32_t{0});
  EXPECT_FALSE(parse_whole_number<std::uint32_t>("4294967296"));
}

TEST(Number, TakesTheWholeTextOrItsBeginning) {
  EXPECT_EQ(parse_number<std::int64_t>("-12"), -12);
  EXPECT_EQ(parse_number<double>("0.25"), 0.25);
  EXPECT_FALSE(parse_number<std::int64_t>("12 "));
  EXPECT_EQ(leading_number<int>("12 files"), 12);
  EXPECT_EQ(leading_number<double>("0.5,"), 0.5);
  for (const char* text : {"", "x1", " 1", "99999999999"}) EXPECT_FALSE(leading_number<int>(text)) << text;
}

}  // namespace
}  // namespace luzia
