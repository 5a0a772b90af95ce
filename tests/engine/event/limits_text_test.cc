// Sizes and limits in words.
#include "engine/event/limits_text.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(LimitsText, SizesHaveAtMostOneDecimal) {
  EXPECT_EQ(size_words(0), "0 bytes");
  EXPECT_EQ(size_words(1), "1 byte");
  EXPECT_EQ(size_words(1023), "1023 bytes");
  EXPECT_EQ(size_words(1024), "1 KiB");
  EXPECT_EQ(size_words((1 << 20) + (1 << 19)), "1.5 MiB");
  EXPECT_EQ(size_words((4ULL << 30) - 1), "3.9 GiB") << "cut off, so that a limit is not shown as reached";
  EXPECT_EQ(size_words(4ULL << 30), "4 GiB");
  EXPECT_EQ(size_words(~0ULL), "16777215.9 TiB");
}

TEST(LimitsText, NamesWhatIsLimited) {
  schema::AttemptLimitsT limits;
  EXPECT_EQ(limits_text(limits), "");
  limits.memory_bytes = 4ULL << 30;
  EXPECT_EQ(limits_text(limits), "4 GiB of memory");
  limits.cpu_percent = 200;
  limits.processes = 1;
  limits.disk_bytes = 10ULL << 30;
  EXPECT_EQ(limits_text(limits), "4 GiB of memory, 200 % of a core, 1 process or thread, 10 GiB of disk");
}

}  // namespace
}  // namespace luzia
