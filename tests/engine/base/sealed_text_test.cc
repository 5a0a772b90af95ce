// Sealed texts open with their key and context alone, and show nothing of what they hold.
#include "engine/base/sealed_text.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

const Hash kOneKey = blake2b({as_bytes("one")});

TEST(SealedText, OpensWithItsKeyAndContextAlone) {
  for (const std::string& text : {std::string(), std::string("A=b\0C=d\0", 8), std::string(100'000, 'x')}) {
    const std::string sealed = sealed_text(kOneKey, "job", text);
    EXPECT_TRUE(is_sealed(sealed));
    EXPECT_EQ(opened_text(kOneKey, "job", sealed), text);
    EXPECT_EQ(opened_text(kOneKey, "other", sealed), std::nullopt);
    EXPECT_EQ(opened_text(blake2b({as_bytes("two")}), "job", sealed), std::nullopt);
  }
}

TEST(SealedText, ShowsNothingAndNeverRepeats) {
  const std::string sealed = sealed_text(kOneKey, "job", "TOKEN=hunter2hunter2");
  EXPECT_EQ(sealed.find("hunter2"), std::string::npos);
  EXPECT_NE(sealed, sealed_text(kOneKey, "job", "TOKEN=hunter2hunter2"));
}

TEST(SealedText, DamageIsNoticed) {
  const std::string sealed = sealed_text(kOneKey, "job", "A=b");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string damaged = sealed;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(opened_text(kOneKey, "job", damaged), std::nullopt) << i;
    EXPECT_EQ(opened_text(kOneKey, "job", sealed.substr(0, i)), std::nullopt) << i;
  }
  EXPECT_FALSE(is_sealed("TOKEN=x"));
  EXPECT_FALSE(is_sealed(""));
}

}  // namespace
}  // namespace luzia
