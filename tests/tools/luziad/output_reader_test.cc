#include "tools/luziad/output_reader.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(OutputOwner, IsTheAccountsOrTheNumberOfOneThatHasGone) {
  EXPECT_EQ(output_owner("root"), 0u);
  EXPECT_EQ(output_owner("4000123"), 4'000'123u);
}

TEST(OutputOwner, OfNoAccountIsNobodyAndNotRoot) {
  for (const char* user : {"", "no-such-account-of-ours", "12 ", "12x", "-1", "99999999999"}) {
    EXPECT_EQ(output_owner(user), kNoOwner) << "'" << user << "'";
  }
}

}  // namespace
}  // namespace luzia
