// What luzia doctor and luzia status say about schedules.
#include "tools/read/schedule_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/time.h"

namespace luzia {
namespace {

using testing::HasSubstr;

TEST(ScheduleCheck, NamesPausedOnesAndThoseWithoutAJob) {
  std::vector<view::ScheduleT> made(5);
  made[0].schedule = "sound";
  made[1].schedule = "paused";
  made[1].paused_us = kSecondUs;
  made[2].schedule = "it's lost";
  made[2].last_us = kSecondUs;
  made[2].last_outcome = schema::DueOutcome::refused;
  made[2].note = "no directory";
  made[3].schedule = "gone";
  made[3].paused_us = made[3].dropped_us = kSecondUs;
  made[4].schedule = "odd";
  made[4].paused_us = kSecondUs;
  made[4].fault = "'Mars/Base' is no time zone";
  std::vector<flatbuffers::DetachedBuffer> buffers;
  std::vector<const view::Schedule*> rows;
  for (const view::ScheduleT& row : made) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(view::Schedule::Pack(builder, &row));
    rows.push_back(flatbuffers::GetRoot<view::Schedule>(buffers.emplace_back(builder.Release()).data()));
  }
  const auto findings = schedule_findings(rows);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_FALSE(findings[0].bad);
  EXPECT_EQ(findings[0].fix, "luzia schedule resume paused");
  EXPECT_TRUE(findings[1].bad);
  EXPECT_THAT(findings[1].what, HasSubstr("no directory"));
  EXPECT_THAT(findings[1].fix, HasSubstr("luzia schedule run 'it'"));
  EXPECT_TRUE(findings[2].bad);
  EXPECT_EQ(findings[2].what, "the rule of schedule odd cannot be read: 'Mars/Base' is no time zone");
}

}  // namespace
}  // namespace luzia
