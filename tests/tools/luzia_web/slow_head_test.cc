// When a client's head counts as slow, and when it is read again.
#include "tools/luzia-web/slow_head.h"

#include <gtest/gtest.h>

namespace luzia::web {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

TEST(SlowHead, ClientThatSaysNothingIsNotSlow) {
  SlowHead head(0);
  for (int i = 1; i < 40; ++i) EXPECT_FALSE(head.look(0, i * kSecondUs / 4));
  EXPECT_FALSE(head.is_slow());
  EXPECT_FALSE(head.is_due(100 * kSecondUs));
}

TEST(SlowHead, HeadThatIsNotWholeAtTheFirstLookIsSlow) {
  SlowHead head(0);
  EXPECT_TRUE(head.look(30, kSecondUs));
  EXPECT_TRUE(head.is_slow());
  EXPECT_FALSE(head.is_due(kSecondUs));
  EXPECT_TRUE(head.is_due(kSecondUs + SlowHead::kFirstPauseUs));
}

TEST(SlowHead, BytesOfEarlierRequestsCountForNone) {
  SlowHead head;
  EXPECT_FALSE(head.look(5'000, kSecondUs)) << "of the requests before";
  EXPECT_FALSE(head.look(5'000, 2 * kSecondUs));
  EXPECT_TRUE(head.look(5'001, 3 * kSecondUs));
}

TEST(SlowHead, PausesGrowToABound) {
  SlowHead head(0);
  std::int64_t now = kSecondUs;
  ASSERT_TRUE(head.look(1, now));
  std::int64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t pause = head.due_us() - now;
    EXPECT_GE(pause, before);
    EXPECT_LE(pause, SlowHead::kMostPauseUs);
    before = pause;
    now = head.due_us();
    head.read(now);
  }
  EXPECT_EQ(before, SlowHead::kMostPauseUs);
}

}  // namespace
}  // namespace luzia::web
