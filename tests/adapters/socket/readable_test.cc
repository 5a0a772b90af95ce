#include "adapters/socket/readable.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST(Readable, NamesTheReadableDescriptor) {
  const int quiet = ::eventfd(0, EFD_CLOEXEC), speaks = ::eventfd(1, EFD_CLOEXEC);
  const Readable second = wait_readable(quiet, speaks, milliseconds(-1));
  EXPECT_FALSE(second.first);
  EXPECT_TRUE(second.second);
  const Readable first = wait_readable(speaks, -1, Clock::time_point::max());
  EXPECT_TRUE(first.first);
  EXPECT_FALSE(first.second) << "no descriptor is named";
  EXPECT_TRUE(is_readable(speaks));
  EXPECT_FALSE(is_readable(quiet));
  EXPECT_FALSE(is_readable(-1));
  ::close(quiet);
  ::close(speaks);
}

TEST(Readable, PastDeadlineStillLooksOnce) {
  const int quiet = ::eventfd(0, EFD_CLOEXEC);
  const Readable none = wait_readable(quiet, -1, Clock::time_point::min());
  EXPECT_FALSE(none.first || none.second);
  ::close(quiet);
}

TEST(Readable, ClosedPeerMakesTheDescriptorReadable) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[1]);
  EXPECT_TRUE(wait_readable(ends[0], -1, milliseconds(-1)).first);
  ::close(ends[0]);
}

}  // namespace
}  // namespace luzia
