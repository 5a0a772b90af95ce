// base64url, by the examples of RFC 4648.
#include "engine/base/base64url.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(Base64Url, ItReadsWhatItWrites) {
  EXPECT_EQ(base64url(""), "");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url("fo"), "Zm8");
  EXPECT_EQ(base64url("foo"), "Zm9v");
  EXPECT_EQ(base64url("\xff\xfe\xfd"), "__79");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    EXPECT_EQ(from_base64url(base64url(all)), all);
  }
}

TEST(Base64Url, OtherTextIsRefused) {
  EXPECT_EQ(from_base64url("Zg=="), "f");
  for (const char* text : {"Z", "Zm9vZ", "Z+8", "Zm 9v", "Zm9v\n", "Zh", "Zm9"})
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
}

}  // namespace
}  // namespace luzia
