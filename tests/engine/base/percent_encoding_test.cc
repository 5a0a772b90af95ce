// Bytes that a URL cannot hold as they are become %XX.
#include "engine/base/percent_encoding.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(PercentEncoding, UnreservedCharactersStay) {
  EXPECT_EQ(percent_encoded("aZ09-_.~"), "aZ09-_.~");
  EXPECT_EQ(percent_encoded("a b/c&d=%"), "a%20b%2Fc%26d%3D%25");
  EXPECT_EQ(percent_encoded("\xc3\xa4\n"), "%C3%A4%0A");
}

TEST(PercentEncoding, CallersChooseWhatElseStays) {
  EXPECT_EQ(percent_encoded("/a b~", "/"), "/a%20b%7E");
}

}  // namespace
}  // namespace luzia
