// How many connections from unknown users the public socket accepts.
#include "tools/luziad/rights/doorkeeper.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(Doorkeeper, OneUserCannotBlockOthers) {
  Doorkeeper door({4, 2, 2});
  EXPECT_TRUE(door.let_in(1, 100));
  EXPECT_TRUE(door.let_in(2, 100));
  EXPECT_FALSE(door.let_in(3, 100));
  EXPECT_TRUE(door.let_in(4, 200));
  EXPECT_TRUE(door.let_in(5, 300));
  EXPECT_FALSE(door.let_in(6, 400)) << "the maximum of four is reached";
  door.gone(1);
  EXPECT_TRUE(door.let_in(6, 400));
}

TEST(Doorkeeper, KnownClientsFreeTheirPlace) {
  Doorkeeper door({2, 2, 2});
  EXPECT_TRUE(door.let_in(1, 100));
  EXPECT_TRUE(door.is_stranger(1));
  EXPECT_TRUE(door.introduce(1, "job.1"));
  EXPECT_FALSE(door.is_stranger(1));
  EXPECT_TRUE(door.introduce(1, "job.1")) << "a repetition counts once";
  EXPECT_TRUE(door.let_in(2, 100));
  EXPECT_TRUE(door.let_in(3, 100));
}

TEST(Doorkeeper, AttemptsHaveAConnectionLimit) {
  Doorkeeper door({9, 9, 2});
  for (Doorkeeper::Visitor visitor = 1; visitor <= 4; ++visitor) EXPECT_TRUE(door.let_in(visitor, 100));
  EXPECT_TRUE(door.introduce(1, "job.1"));
  EXPECT_TRUE(door.introduce(2, "job.1"));
  EXPECT_FALSE(door.introduce(3, "job.1"));
  EXPECT_TRUE(door.introduce(4, "job.2"));
  door.gone(1);
  EXPECT_TRUE(door.introduce(3, "job.1"));
  door.gone(99);
}

TEST(Doorkeeper, LimitsLeaveDescriptorsForOthers) {
  for (const std::size_t files : {16U, 64U, 1024U, 65536U}) {
    const auto limits = Doorkeeper::limits_for(files);
    EXPECT_GE(limits.of_user, 1U);
    EXPECT_LT(limits.of_user, limits.strangers);
    EXPECT_LE(limits.strangers, files / 4);
    EXPECT_GE(limits.of_attempt, 4U);
  }
}

}  // namespace
}  // namespace luzia
