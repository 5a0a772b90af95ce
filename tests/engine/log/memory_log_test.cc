#include "adapters/memory/memory_event_log.h"
#include "tests/engine/log/log_contract.h"

namespace luzia::test {
namespace {

struct MemoryBackend {
  EventLog& log() { return log_; }
  MemoryEventLog log_;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EventLogContract, MemoryBackend);

TEST(MemoryEventLog, FailedAppendBreaksTheLog) {
  MemoryEventLog log;
  ASSERT_TRUE(append_groups(log, 2, 2));
  log.fail_next_append({ErrorKind::trouble, "disk_full", "no space", ""});
  EXPECT_EQ(log.append(group_of(5, 1)).error().code, "disk_full");
  EXPECT_EQ(log.append(group_of(5, 1)).error().code, "log_broken");
  EXPECT_EQ(log.tip().position, 4U);
  EXPECT_EQ(read_positions(*log.read_from(1)), positions_from_to(1, 4));
}

}  // namespace
}  // namespace luzia::test
