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

}  // namespace
}  // namespace luzia
