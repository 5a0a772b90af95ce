// Descriptors have one owner, who closes them; files are read and written as a whole.
#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

namespace luzia {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) != -1;
}

TEST(Descriptor, LastOwnerCloses) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Descriptor from(ends[0]);
  {
    Descriptor to(ends[1]);
    Descriptor other(std::move(to));
    EXPECT_TRUE(other);
    from = std::move(other);
    EXPECT_FALSE(is_open(ends[0])) << "its place was taken";
  }
  EXPECT_EQ(from.get(), ends[1]);
  EXPECT_TRUE(is_open(ends[1]));
  from.reset();
  EXPECT_FALSE(is_open(ends[1]));
}

TEST(Descriptor, MoreThanAPipeHoldsIsWrittenAndReadUpToTheLimit) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const std::string text(1 << 20, 'x');
  std::thread writer([&] {
    EXPECT_TRUE(write_fully(to.get(), text));
    to.reset();
  });
  const auto first = read_up_to(from.get(), 10), rest = read_up_to(from.get(), 2 << 20);
  writer.join();
  EXPECT_EQ(first, std::string(10, 'x'));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->size(), text.size() - 10);
  EXPECT_FALSE(read_up_to(-1, 10));
  EXPECT_FALSE(write_fully(-1, "x"));
}

TEST(Descriptor, CloseReportsTheErrorOnce) {
  Descriptor bad(1 << 20);
  EXPECT_EQ(bad.close(), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(bad.close(), 0);
}

}  // namespace
}  // namespace luzia
