// Background work keeps to its rate, stops at once, and leaves processor and disk to others.
#include "tools/luziad/base/pace.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "tools/luziad/base/loop.h"

namespace luzia {
namespace {

TEST(Pace, SleepsUntilTheRateIsKept) {
  const TimeUs began = monotonic_now();
  Pace pace({}, 1'000'000);
  pace.reached(1'000);
  EXPECT_LT(monotonic_now() - began, 50 * kMillisecondUs) << "a millisecond is not worth a sleep";
  pace.reached(100'000);
  EXPECT_GE(monotonic_now() - began, 100 * kMillisecondUs);
}

TEST(Pace, StopEndsTheSleep) {
  std::stop_source source;
  const TimeUs began = monotonic_now();
  std::thread sleeper([stop = source.get_token()] { Pace(stop, 1).reached(3'600); });
  source.request_stop();
  sleeper.join();
  EXPECT_LT(monotonic_now() - began, kMinuteUs);
}

TEST(BackgroundThread, HasTheLowestPriorities) {
  int nice = 0;
  long of_disk = 0;
  std::thread worker([&] {
    give_way_to_others();
    nice = ::getpriority(PRIO_PROCESS, 0);
    of_disk = ::syscall(SYS_ioprio_get, 1, 0);
  });
  worker.join();
  constexpr long kClassShift = 13, kIdle = 3;
  EXPECT_EQ(nice, 19);
  EXPECT_EQ(of_disk >> kClassShift, kIdle);
}

}  // namespace
}  // namespace luzia
