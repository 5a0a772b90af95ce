// How much room a daemon has.
#include "tools/read/job_room.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

template <class Row, class Table>
void add_row(JobRoom& room, const Table& table) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Row::Pack(builder, &table));
  room.add(*flatbuffers::GetRoot<Row>(builder.GetBufferPointer()));
}

JobRoom with_job(schema::JobState state) {
  JobRoom room;
  room.slots = 3;
  view::JobT job;
  job.state = state;
  add_row<view::Job>(room, job);
  return room;
}

JobRoom with_switch(const std::string& scope, bool paused, bool draining) {
  JobRoom room;
  view::QueueSwitchT each;
  each.scope = scope;
  each.paused = paused;
  each.draining = draining;
  add_row<view::QueueSwitch>(room, each);
  return room;
}

TEST(JobRoomTest, CountsWhatHoldsASlotAndWhatWaits) {
  EXPECT_EQ(with_job(schema::JobState::running).running, 1U);
  EXPECT_EQ(with_job(schema::JobState::waiting).running, 1U) << "for a person";
  EXPECT_EQ(with_job(schema::JobState::queued).queued, 1U);
  EXPECT_EQ(with_job(schema::JobState::queued).free_slots(), 2);
  EXPECT_EQ(with_job(schema::JobState::parked).free_slots(), 3);
  EXPECT_EQ(with_job(schema::JobState::completed).free_slots(), 3);
}

TEST(JobRoomTest, PauseOfOneProjectIsNone) {
  EXPECT_TRUE(with_switch("", true, false).paused);
  EXPECT_TRUE(with_switch("", false, true).paused);
  EXPECT_FALSE(with_switch("", false, false).paused);
  EXPECT_FALSE(with_switch("web", true, true).paused);
}

TEST(JobRoomTest, SlotsAreAsConfigured) {
  Config config;
  config.queue.max_running = 7;
  EXPECT_EQ(slots_of(config), 7U);
  config.queue.max_running = 0;
  EXPECT_GE(slots_of(config), 2U);
}

}  // namespace
}  // namespace luzia
