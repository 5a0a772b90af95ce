// Which events of the log hooks can receive, and under which names.
#include "engine/hook/hook_events.h"

#include "engine/hook/hook.h"
#include "tests/matchers.h"
#include "tests/packed_event.h"

namespace luzia {
namespace {

class HookEvents : public testing::Test {
 protected:
  HookEvent seen(NewEvent event) {
    schema::EventT envelope;
    envelope.position = 7;
    envelope.time_us = 70;
    return hook_event(*event_.emplace(std::move(event), std::move(envelope)));
  }
  template <class Fact>
  HookEvent seen_in(const std::string& stream, Fact fact) {
    return seen(new_event(stream, std::move(fact)));
  }
  HookEvent end(schema::JobState state) {
    schema::JobEndedT fact;
    fact.state = state;
    return seen(job_event("k1", std::move(fact)));
  }

 private:
  std::optional<PackedEvent> event_;
};

TEST_F(HookEvents, NamesReadBack) {
  const auto names = hook_event_names();
  EXPECT_EQ(names.size(), 32u);
  for (const std::string& name : names) {
    const auto on = parse_hook_event(name);
    ASSERT_TRUE(on) << name;
    EXPECT_EQ(hook_event_name(*on), name);
  }
  EXPECT_FALSE(parse_hook_event("job_fail"));
  EXPECT_FALSE(parse_hook_event("digest")) << "a channel asks for it by a time";
}

TEST_F(HookEvents, DigestIsForItsQueueAlone) {
  schema::DigestDueT due;
  due.hook = "desk/digest";
  const HookEvent event = seen_in("system", std::move(due));
  EXPECT_EQ(event.mask, mask_of(HookOn::digest));
  EXPECT_EQ(event.only_for, "desk/digest");
  EXPECT_EQ(event.subject, "desk/digest");
  EXPECT_EQ(event.over_for, event.mask) << "a later one tells what an earlier one would have";
  HookRule queue;
  queue.called = "desk/digest";
  queue.projects = {"web"};
  EXPECT_TRUE(concerns(queue, event, ""));
  HookRule desk;
  desk.called = "desk";
  desk.on = ~HookMask{0};
  EXPECT_FALSE(concerns(desk, event, ""));
}

TEST_F(HookEvents, JobEndHasASpecificAndAGeneralName) {
  const std::pair<schema::JobState, HookOn> ends[] = {{schema::JobState::completed, HookOn::job_completed},
                                                      {schema::JobState::failed, HookOn::job_failed},
                                                      {schema::JobState::killed, HookOn::job_killed},
                                                      {schema::JobState::timed_out, HookOn::job_timed_out},
                                                      {schema::JobState::lost, HookOn::job_lost}};
  for (const auto& [state, on] : ends) {
    const HookEvent event = end(state);
    EXPECT_EQ(event.mask, mask_of(on) | mask_of(HookOn::job_ended));
    EXPECT_EQ(event.on, on);
    EXPECT_EQ(event.subject, "k1");
    EXPECT_EQ(event.position, 7u);
  }
}

TEST_F(HookEvents, EndOfAJobThatNeverRanHasTheNameOfTheLogToo) {
  const auto end_before = [this](schema::JobState state, schema::EndReason reason, std::uint32_t attempt) {
    schema::JobEndedT fact;
    fact.state = state;
    fact.reason = reason;
    fact.attempt = attempt;
    return seen(job_event("k1", std::move(fact)));
  };
  const auto skipped = end_before(schema::JobState::failed, schema::EndReason::dependency_failed, 0);
  EXPECT_EQ(skipped.on, HookOn::job_skipped);
  EXPECT_EQ(skipped.mask,
            mask_of(HookOn::job_skipped) | mask_of(HookOn::job_failed) | mask_of(HookOn::job_ended));
  const auto cancelled = end_before(schema::JobState::killed, schema::EndReason::cancelled_before_start, 0);
  EXPECT_EQ(cancelled.on, HookOn::job_cancelled);
  EXPECT_EQ(cancelled.mask,
            mask_of(HookOn::job_cancelled) | mask_of(HookOn::job_killed) | mask_of(HookOn::job_ended));
  EXPECT_EQ(end_before(schema::JobState::failed, schema::EndReason::dependency_failed, 1).on,
            HookOn::job_failed)
      << "it ran before";
}

TEST_F(HookEvents, QueuedStartedAndParkedAreEvents) {
  schema::JobQueuedT queued;
  queued.spec = std::make_unique<schema::JobSpecT>();
  queued.spec->project = "web";
  const HookEvent event = seen(job_event("k1", std::move(queued)));
  EXPECT_EQ(event.mask, mask_of(HookOn::job_queued));
  EXPECT_EQ(event.project, "web");
  EXPECT_EQ(seen(job_event("k1", schema::AttemptStartedT{})).mask, mask_of(HookOn::job_started));
  EXPECT_EQ(seen(job_event("k1", schema::JobParkedT{})).mask, mask_of(HookOn::job_parked));
  EXPECT_EQ(seen(job_event("k1", schema::AttemptEndedT{})).mask, 0u) << "the end of its job is the event";
}

TEST_F(HookEvents, FlowGateIsAnApprovalUntilDecided) {
  schema::StepGateReachedT reached;
  reached.step = "ship";
  const HookEvent asked = seen_in("flow/f-1", std::move(reached));
  EXPECT_EQ(asked.mask, mask_of(HookOn::flow_gate_reached) | mask_of(HookOn::approval_requested));
  EXPECT_EQ(asked.on, HookOn::flow_gate_reached);
  EXPECT_EQ(asked.subject, "f-1");
  EXPECT_EQ(asked.request, "ship");
  schema::StepGateDecidedT decided;
  decided.step = "ship";
  const HookEvent over = seen_in("flow/f-1", std::move(decided));
  EXPECT_EQ(over.mask, mask_of(HookOn::flow_gate_decided) | mask_of(HookOn::approval_decided));
  EXPECT_EQ(over.over_for, asked.mask);
  EXPECT_EQ(over.request, "ship");
  const HookEvent end = seen_in("flow/f-1", schema::FlowEndedT{});
  EXPECT_EQ(end.mask, mask_of(HookOn::flow_ended));
  EXPECT_EQ(end.over_for, asked.mask);
  EXPECT_EQ(seen_in("flow/f-1", schema::StepStartedT{}).mask, 0u);
}

TEST_F(HookEvents, RetrySupersedesTheEnd) {
  const HookEvent event = seen(job_event("k1", schema::JobRetriedT{}));
  EXPECT_EQ(event.mask, mask_of(HookOn::job_retried));
  EXPECT_TRUE(event.over_for & mask_of(HookOn::job_failed));
  EXPECT_TRUE(event.over_for & mask_of(HookOn::job_ended));
  EXPECT_FALSE(event.over_for & mask_of(HookOn::question_asked));
}

TEST_F(HookEvents, PromptIsOverWithItsAnswer) {
  schema::QuestionAskedT asked;
  asked.question = "q1";
  EXPECT_EQ(seen_in("job/k1", asked).request, "q1");
  schema::QuestionAnsweredT answered;
  answered.question = "q1";
  const HookEvent answer = seen_in("job/k1", std::move(answered));
  EXPECT_EQ(answer.request, "q1");
  EXPECT_EQ(answer.over_for, mask_of(HookOn::question_asked) | mask_of(HookOn::question_reminded));
  schema::QuestionRemindedT reminded;
  reminded.question = "q1";
  const HookEvent reminder = seen_in("job/k1", std::move(reminded));
  EXPECT_EQ(reminder.mask, mask_of(HookOn::question_reminded));
  EXPECT_EQ(reminder.over_for, 0u);
  EXPECT_EQ(reminder.only_for, "");
  schema::ApprovalRemindedT escalated;
  escalated.channel = "boss";
  EXPECT_EQ(seen_in("job/k1", std::move(escalated)).only_for, "boss");
  schema::QuestionTimedOutT late;
  late.question = "q1";
  EXPECT_EQ(seen_in("job/k1", std::move(late)).mask, mask_of(HookOn::question_timed_out));
  schema::ApprovalDecidedT decided;
  decided.approval = "a1";
  const HookEvent decision = seen_in("job/k1", std::move(decided));
  EXPECT_EQ(decision.mask, mask_of(HookOn::approval_decided));
  EXPECT_EQ(decision.over_for, mask_of(HookOn::approval_requested) | mask_of(HookOn::approval_reminded));
}

TEST_F(HookEvents, AlertIsAboutItsConditionAndAPauseAboutItsProject) {
  schema::AlertEndedT ended;
  ended.alert = "memory";
  const HookEvent over = seen_in("system", std::move(ended));
  EXPECT_EQ(over.subject, "memory");
  EXPECT_EQ(over.over_for, mask_of(HookOn::alert_raised));
  schema::QueuePausedT paused;
  paused.project = "web";
  const HookEvent pause = seen_in("project/web", std::move(paused));
  EXPECT_EQ(pause.mask, mask_of(HookOn::queue_paused));
  EXPECT_EQ(pause.subject, "web");
  EXPECT_EQ(pause.project, "web");
}

TEST_F(HookEvents, PairedDeviceIsAnEventOfItsOwn) {
  schema::DevicePairedT paired;
  paired.device = "d-1";
  const HookEvent event = seen_in("device/d-1", std::move(paired));
  EXPECT_EQ(event.mask, mask_of(HookOn::device_paired));
  EXPECT_EQ(event.subject, "d-1");
  EXPECT_EQ(seen_in("device/d-1", schema::DeviceSeenT{}).mask, 0u);
  EXPECT_EQ(seen_in("device/d-1", schema::DeviceRevokedT{}).mask, 0u);
}

TEST_F(HookEvents, HookEventsReachNoHook) {
  EXPECT_EQ(seen_in("system", schema::HookDeliveredT{}).mask, 0u);
  EXPECT_EQ(seen_in("system", schema::HookRegisteredT{}).mask, 0u);
  EXPECT_EQ(seen_in("system", schema::DaemonStartedT{}).mask, mask_of(HookOn::daemon_started));
}

}  // namespace
}  // namespace luzia
