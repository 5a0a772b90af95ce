// The offset between the clocks across restarts of a daemon.
#include "tools/luziad/upkeep/clock_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adapters/memory/memory_event_log.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

class ClockRecordTest : public testing::Test {
 protected:
  ClockRecordTest() {
    char name[] = "/tmp/luzia-clock-XXXXXX";
    store_ = ::mkdtemp(name);
  }
  ~ClockRecordTest() override { std::filesystem::remove_all(store_); }
  ClockRecord record(const std::string& boot = "boot-1") const { return {store_, boot}; }
  Position step(TimeUs by) {
    schema::ClockSteppedT fact;
    fact.step_us = by;
    return writer_.write(1, new_event("system", fact));
  }

  std::string store_;
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
    std::ofstream(store_ + "/clock") << text;
    EXPECT_EQ(record().offset(log_), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace luzia::test
