// The offset between the clocks across restarts of a daemon.
#include "tools/luziad/upkeep/clock_record.h"

#include <unistd.h>

#include <fstream>

#include "adapters/memory/memory_event_log.h"
#include "tests/projections/log_writer.h"
#include "tests/scratch.h"

namespace luzia::test {
namespace {

class ClockRecordTest : public ScratchTest {
 protected:
  ClockRecord record(const std::string& boot = "boot-1") const { return {scratch_, boot}; }
  Position step(TimeUs by) {
    schema::ClockSteppedT fact;
    fact.step_us = by;
    return writer_.write(1, new_event("system", fact));
  }

  MemoryEventLog log_;
  LogWriter writer_{log_};
};

TEST_F(ClockRecordTest, IsUnknownAfterAReboot) {
  EXPECT_EQ(record().offset(log_), std::nullopt);
  ASSERT_TRUE(record().write(-5, 0));
  EXPECT_EQ(record().offset(log_), -5);
  EXPECT_EQ(record("boot-2").offset(log_), std::nullopt);
}

TEST_F(ClockRecordTest, LoggedStepsCountOnce) {
  const Position first = step(kHourUs);
  ASSERT_TRUE(record().write(100, first));
  EXPECT_EQ(record().offset(log_), 100);
  writer_.write(1, queued("k1", "alpha"));
  step(-kMinuteUs);
  step(kHourUs);
  EXPECT_EQ(record().offset(log_), 100 + kHourUs - kMinuteUs);
}

TEST_F(ClockRecordTest, InvalidRecordIsIgnored) {
  ASSERT_TRUE(record().write(100, 7));
  EXPECT_EQ(record().offset(log_), std::nullopt);
  for (const char* text : {"", "boot-1", "boot-1 x 0", "boot-1 1"}) {
    std::ofstream(scratch_ + "/clock") << text;
    EXPECT_EQ(record().offset(log_), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace luzia::test
