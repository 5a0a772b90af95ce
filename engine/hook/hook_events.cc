#include "engine/hook/hook_events.h"

#include <algorithm>

#include "engine/event/job_state.h"
#include "engine/flow/flow.h"

namespace luzia {
namespace {

constexpr std::array<std::string_view, 33> kNames = {"job_queued",
                                                     "job_started",
                                                     "job_completed",
                                                     "job_failed",
                                                     "job_killed",
                                                     "job_timed_out",
                                                     "job_lost",
                                                     "job_skipped",
                                                     "job_cancelled",
                                                     "job_ended",
                                                     "job_retried",
                                                     "job_parked",
                                                     "question_asked",
                                                     "question_answered",
                                                     "question_reminded",
                                                     "question_timed_out",
                                                     "approval_requested",
                                                     "approval_decided",
                                                     "approval_reminded",
                                                     "alert_raised",
                                                     "alert_ended",
                                                     "warning",
                                                     "system_alert",
                                                     "queue_paused",
                                                     "queue_resumed",
                                                     "breaker_opened",
                                                     "breaker_closed",
                                                     "flow_gate_reached",
                                                     "flow_gate_decided",
                                                     "flow_ended",
                                                     "daemon_started",
                                                     "device_paired",
                                                     "digest"};
static_assert(kNames.size() == static_cast<std::size_t>(HookOn::digest) + 1);
static_assert(kNames.size() <= 8 * sizeof(HookMask));

constexpr HookMask kEnds = mask_of(HookOn::job_completed) | mask_of(HookOn::job_failed) |
                           mask_of(HookOn::job_killed) | mask_of(HookOn::job_timed_out) |
                           mask_of(HookOn::job_lost) | mask_of(HookOn::job_skipped) |
                           mask_of(HookOn::job_cancelled) | mask_of(HookOn::job_ended);
constexpr HookMask kAsks = mask_of(HookOn::question_asked) | mask_of(HookOn::question_reminded) |
                           mask_of(HookOn::approval_requested) | mask_of(HookOn::approval_reminded);

void name(HookEvent& seen, HookOn on) {
  seen.on = on;
  seen.mask |= mask_of(on);
}

std::optional<HookOn> end_name(schema::JobState state) {
  switch (state) {
    case schema::JobState::completed:
      return HookOn::job_completed;
    case schema::JobState::failed:
      return HookOn::job_failed;
    case schema::JobState::killed:
      return HookOn::job_killed;
    case schema::JobState::timed_out:
      return HookOn::job_timed_out;
    case schema::JobState::lost:
      return HookOn::job_lost;
    case schema::JobState::skipped:
      return HookOn::job_skipped;
    case schema::JobState::cancelled:
      return HookOn::job_cancelled;
    case schema::JobState::none:
    case schema::JobState::queued:
    case schema::JobState::starting:
    case schema::JobState::running:
    case schema::JobState::waiting:
    case schema::JobState::parked:
      return std::nullopt;
  }
  return std::nullopt;
}

void see_job(HookEvent& seen, const schema::JobEvent& job) {
  if (const auto* queued = job.fact_as_JobQueued()) {
    name(seen, HookOn::job_queued);
    if (queued->spec() != nullptr) seen.project = text(queued->spec()->project());
  } else if (job.fact_as_AttemptStarted() != nullptr) {
    name(seen, HookOn::job_started);
  } else if (const auto* ended = job.fact_as_JobEnded()) {
    seen.over_for = kAsks | mask_of(HookOn::warning) | mask_of(HookOn::job_parked);
    name(seen, HookOn::job_ended);
    seen.callback = text(ended->callback());
    // A job that never ran has two names more: the one that the log has for it, and its own.
    const schema::JobState state = state_after(*ended);
    if (const auto recorded = end_name(recorded_state(state))) name(seen, *recorded);
    if (const auto narrower = end_name(state)) name(seen, *narrower);
  } else if (job.fact_as_JobRetried() != nullptr) {
    seen.over_for = kEnds;
    name(seen, HookOn::job_retried);
  } else if (job.fact_as_JobParked() != nullptr) {
    name(seen, HookOn::job_parked);
  } else if (job.fact_as_JobUnparked() != nullptr) {
    seen.over_for = mask_of(HookOn::job_parked);
  }
}

/// A request is asked or reminded of, or over: answered, or without an answer.
void see_request(HookEvent& seen, std::string_view id, std::optional<HookOn> on, HookMask over_for) {
  seen.request = id;
  seen.over_for = over_for;
  if (on) name(seen, *on);
}

void see_question(HookEvent& seen, const schema::QuestionEvent& question) {
  constexpr HookMask kOver = mask_of(HookOn::question_asked) | mask_of(HookOn::question_reminded);
  if (const auto* asked = question.fact_as_QuestionAsked()) {
    see_request(seen, text(asked->question()), HookOn::question_asked, 0);
  } else if (const auto* answered = question.fact_as_QuestionAnswered()) {
    see_request(seen, text(answered->question()), HookOn::question_answered, kOver);
  } else if (const auto* reminded = question.fact_as_QuestionReminded()) {
    see_request(seen, text(reminded->question()), HookOn::question_reminded, 0);
    seen.only_for = text(reminded->channel());
  } else if (const auto* timed_out = question.fact_as_QuestionTimedOut()) {
    see_request(seen, text(timed_out->question()), HookOn::question_timed_out, kOver);
  } else if (const auto* cancelled = question.fact_as_QuestionCancelled()) {
    see_request(seen, text(cancelled->question()), std::nullopt, kOver);
  }
}

void see_approval(HookEvent& seen, const schema::ApprovalEvent& approval) {
  constexpr HookMask kOver = mask_of(HookOn::approval_requested) | mask_of(HookOn::approval_reminded);
  if (const auto* requested = approval.fact_as_ApprovalRequested()) {
    see_request(seen, text(requested->approval()), HookOn::approval_requested, 0);
  } else if (const auto* decided = approval.fact_as_ApprovalDecided()) {
    see_request(seen, text(decided->approval()), HookOn::approval_decided, kOver);
  } else if (const auto* reminded = approval.fact_as_ApprovalReminded()) {
    see_request(seen, text(reminded->approval()), HookOn::approval_reminded, 0);
    seen.only_for = text(reminded->channel());
  } else if (const auto* cancelled = approval.fact_as_ApprovalCancelled()) {
    see_request(seen, text(cancelled->approval()), std::nullopt, kOver);
  }
}

/// Sets what a flow's event means; the subject becomes the flow instead of a job.
void see_flow(HookEvent& seen, const schema::FlowEvent& flow, std::string_view stream) {
  seen.subject = flow_of_stream(stream);
  if (const auto* created = flow.fact_as_FlowCreated()) {
    seen.project = text(created->project());
  } else if (const auto* reached = flow.fact_as_StepGateReached()) {
    name(seen, HookOn::approval_requested);
    name(seen, HookOn::flow_gate_reached);
    seen.request = text(reached->step());
  } else if (const auto* decided = flow.fact_as_StepGateDecided()) {
    name(seen, HookOn::approval_decided);
    name(seen, HookOn::flow_gate_decided);
    seen.request = text(decided->step());
    seen.over_for = mask_of(HookOn::approval_requested) | mask_of(HookOn::flow_gate_reached);
  } else if (flow.fact_as_FlowEnded() != nullptr) {
    name(seen, HookOn::flow_ended);
    seen.over_for = mask_of(HookOn::approval_requested) | mask_of(HookOn::flow_gate_reached);
  }
}

void see_alert(HookEvent& seen, const schema::AlertEvent& alert) {
  if (const auto* raised = alert.fact_as_AlertRaised()) {
    name(seen, HookOn::alert_raised);
    seen.subject = text(raised->alert());
  } else if (const auto* ended = alert.fact_as_AlertEnded()) {
    name(seen, HookOn::alert_ended);
    seen.subject = text(ended->alert());
    seen.over_for = mask_of(HookOn::alert_raised);
  }
}

void see_device(HookEvent& seen, const schema::DeviceEvent& device) {
  const auto* paired = device.fact_as_DevicePaired();
  if (paired == nullptr) return;
  name(seen, HookOn::device_paired);
  seen.subject = text(paired->device());
}

void see_system(HookEvent& seen, const schema::SystemEvent& system) {
  if (system.fact_as_DaemonStarted() != nullptr) name(seen, HookOn::daemon_started);
  const auto* due = system.fact_as_DigestDue();
  if (due == nullptr) return;
  name(seen, HookOn::digest);
  seen.subject = seen.only_for = text(due->hook());
  seen.over_for = mask_of(HookOn::digest);  // it tells what the one before it would
}

void see_queue(HookEvent& seen, const schema::QueueEvent& queue) {
  if (const auto* paused = queue.fact_as_QueuePaused()) {
    name(seen, HookOn::queue_paused);
    seen.project = text(paused->project());
  } else if (const auto* resumed = queue.fact_as_QueueResumed()) {
    name(seen, HookOn::queue_resumed);
    seen.project = text(resumed->project());
    seen.over_for = mask_of(HookOn::queue_paused);
  } else if (const auto* opened = queue.fact_as_BreakerOpened()) {
    name(seen, HookOn::breaker_opened);
    seen.project = text(opened->project());
  } else if (const auto* closed = queue.fact_as_BreakerClosed()) {
    name(seen, HookOn::breaker_closed);
    seen.project = text(closed->project());
    seen.over_for = mask_of(HookOn::breaker_opened);
  }
  seen.subject = seen.project;
}

}  // namespace

std::string_view hook_event_name(HookOn on) {
  return kNames[static_cast<std::size_t>(on)];
}

std::optional<HookOn> parse_hook_event(std::string_view name) {
  const auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it == kNames.end() || *it == hook_event_name(HookOn::digest)) return std::nullopt;
  return static_cast<HookOn>(it - kNames.begin());
}

std::vector<std::string> hook_event_names() {
  std::vector<std::string> names(kNames.begin(), kNames.end());
  std::erase(names, hook_event_name(HookOn::digest));
  return names;
}

HookEvent hook_event(const schema::Event& event) {
  HookEvent seen;
  seen.position = event.position();
  seen.time = event.time_us();
  seen.subject = job_of_stream(text(event.stream()));
  if (const auto* job = event.payload_as_JobEvent()) {
    see_job(seen, *job);
  } else if (const auto* report = event.payload_as_ReportEvent()) {
    if (report->fact_as_WarningReported() != nullptr) name(seen, HookOn::warning);
    if (report->fact_as_SystemAlertReported() != nullptr) name(seen, HookOn::system_alert);
  } else if (const auto* alert = event.payload_as_AlertEvent()) {
    see_alert(seen, *alert);
  } else if (const auto* queue = event.payload_as_QueueEvent()) {
    see_queue(seen, *queue);
  } else if (const auto* system = event.payload_as_SystemEvent()) {
    see_system(seen, *system);
  } else if (const auto* question = event.payload_as_QuestionEvent()) {
    see_question(seen, *question);
  } else if (const auto* approval = event.payload_as_ApprovalEvent()) {
    see_approval(seen, *approval);
  } else if (const auto* flow = event.payload_as_FlowEvent()) {
    see_flow(seen, *flow, text(event.stream()));
  } else if (const auto* device = event.payload_as_DeviceEvent()) {
    see_device(seen, *device);
  }
  return seen;
}

}  // namespace luzia
