// How long a machine leaves an order for several to the others.
#include "tools/luzia-fleet/order_taker.h"

#include "tests/matchers.h"

namespace luzia::test {
namespace {

std::int64_t delay_with(std::uint32_t running, std::uint32_t queued, bool paused = false) {
  JobRoom room;
  room.slots = 4;
  room.running = running;
  room.queued = queued;
  room.paused = paused;
  return delay_of(room).count();
}

TEST(OrderDelay, GrowsWithWhatTheMachineHasToDo) {
  EXPECT_EQ(delay_with(0, 0), 0);
  EXPECT_LT(delay_with(1, 0), delay_with(3, 0));
  EXPECT_EQ(delay_with(1, 2), delay_with(3, 0)) << "what is queued gets a slot";
  EXPECT_LE(delay_with(3, 0), 20) << "a free slot is a free slot";
  EXPECT_GE(delay_with(4, 0), 500) << "others are asked first";
  EXPECT_LT(delay_with(4, 1), delay_with(4, 5));
  EXPECT_EQ(delay_with(4, 1'000'000), kMostOrderDelay.count()) << "if all are full, somebody takes it";
  EXPECT_EQ(delay_with(0, 0, true), kMostOrderDelay.count()) << "its queue is paused";
}

}  // namespace
}  // namespace luzia::test
