#include "engine/event/job_state.h"

#include <gtest/gtest.h>

namespace luzia::test {
namespace {

using schema::EndReason;
using schema::JobState;

JobState state_after_end(JobState state, EndReason reason, std::uint32_t attempt) {
  schema::JobEndedT fact;
  fact.state = state;
  fact.reason = reason;
  fact.attempt = attempt;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::JobEnded::Pack(builder, &fact));
  return state_after(*flatbuffers::GetRoot<schema::JobEnded>(builder.GetBufferPointer()));
}

TEST(JobStates, JobsThatNeverRanFollowFromReasonAndAttempt) {
  EXPECT_EQ(state_after_end(JobState::failed, EndReason::dependency_failed, 0), JobState::skipped);
  EXPECT_EQ(state_after_end(JobState::killed, EndReason::cancelled_before_start, 0), JobState::cancelled);
  EXPECT_EQ(state_after_end(JobState::failed, EndReason::dependency_failed, 1), JobState::failed);
  EXPECT_EQ(state_after_end(JobState::killed, EndReason::cancelled_before_start, 2), JobState::killed);
  EXPECT_EQ(state_after_end(JobState::killed, EndReason::cancelled, 1), JobState::killed);
  EXPECT_EQ(state_after_end(JobState::failed, EndReason::budget_exceeded, 0), JobState::failed);
}

TEST(JobStates, EveryRecordedStateIsOneOfTheLog) {
  for (const JobState state : schema::EnumValuesJobState()) {
    EXPECT_FALSE(never_ran(recorded_state(state))) << schema::EnumNameJobState(state);
    EXPECT_EQ(is_terminal(recorded_state(state)), is_terminal(state)) << schema::EnumNameJobState(state);
    EXPECT_EQ(recorded_state(state) == state, !never_ran(state)) << schema::EnumNameJobState(state);
  }
}

TEST(JobStates, OlderWordsNameJobsThatNeverRanToo) {
  EXPECT_TRUE(names_state({JobState::failed}, JobState::skipped));
  EXPECT_TRUE(names_state({JobState::lost, JobState::killed}, JobState::cancelled));
  EXPECT_TRUE(names_state({JobState::skipped}, JobState::skipped));
  EXPECT_FALSE(names_state({JobState::skipped}, JobState::failed)) << "it ran";
  EXPECT_FALSE(names_state({JobState::killed}, JobState::skipped));
  EXPECT_FALSE(names_state({}, JobState::skipped));
}

}  // namespace
}  // namespace luzia::test
