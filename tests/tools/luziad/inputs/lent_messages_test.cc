// Messages that an agent is being told: how long nobody else is told them.
#include "tools/luziad/inputs/lent_messages.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(LentMessages, AreLentUntilTheyAreSettledOrTheConnectionEnds) {
  LentMessages lent;
  lent.lend("a", "m1", 1, kSecondUs);
  lent.lend("a", "m2", 2, kSecondUs);
  EXPECT_TRUE(lent.is_lent("a", "m1", 2 * kSecondUs));
  EXPECT_FALSE(lent.is_lent("b", "m1", 2 * kSecondUs)) << "another job";
  lent.settle("a", "m1");
  EXPECT_FALSE(lent.is_lent("a", "m1", 2 * kSecondUs));
  lent.connection_closed(1);
  EXPECT_TRUE(lent.is_lent("a", "m2", 2 * kSecondUs));
  lent.connection_closed(2);
  EXPECT_FALSE(lent.is_lent("a", "m2", 2 * kSecondUs));
}

TEST(LentMessages, AConnectionThatStaysSilentLosesThem) {
  LentMessages lent;
  lent.lend("a", "m1", 1, kSecondUs);
  EXPECT_TRUE(lent.is_lent("a", "m1", kSecondUs + LentMessages::kLongest - 1));
  EXPECT_FALSE(lent.is_lent("a", "m1", kSecondUs + LentMessages::kLongest));
  lent.lend("a", "m1", 2, kMinuteUs * 5);
  EXPECT_TRUE(lent.is_lent("a", "m1", kMinuteUs * 5)) << "lent again";
  lent.connection_closed(1);
  EXPECT_TRUE(lent.is_lent("a", "m1", kMinuteUs * 5)) << "the silent connection has them no more";
}

}  // namespace
}  // namespace luzia
