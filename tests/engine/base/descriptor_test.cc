#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace luzia {
namespace {

Descriptor opened() {
  return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Descriptor, IsClosedWithItsOwner) {
  int fd = -1;
  {
    const Descriptor file = opened();
    ASSERT_TRUE(file);
    fd = file.get();
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, AssignmentClosesTheOneBefore) {
  Descriptor first = opened(), second = opened();
  const int before = first.get(), taken = second.get();
  first = std::move(second);
  EXPECT_EQ(first.get(), taken);
  EXPECT_FALSE(is_open(before));
  EXPECT_TRUE(is_open(taken));
}

TEST(Descriptor, CloseReportsTheErrorOnce) {
  Descriptor bad(1 << 20);
  EXPECT_EQ(bad.close(), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(bad.close(), 0);
}

}  // namespace
}  // namespace luzia
