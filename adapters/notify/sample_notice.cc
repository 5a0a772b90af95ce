// An example event of each kind.
#include "adapters/notify/notice.h"

namespace luzia {
namespace {

constexpr std::string_view kSampleJob = "0000000000000";
constexpr std::string_view kSampleQuestion = "q-0000000000000", kSampleApproval = "a-0000000000000";

std::unique_ptr<schema::JobSpecT> sample_spec() {
  auto spec = std::make_unique<schema::JobSpecT>();
  spec->project = "sample";
  spec->agent = "shell";
  return spec;
}

schema::PayloadUnion sample_job_fact(HookOn on) {
  schema::JobEventT event;
  const auto ended = [&event](schema::JobState state, schema::EndReason reason, std::uint32_t attempt = 1) {
    schema::JobEndedT fact;
    fact.state = state;
    fact.reason = reason;
    fact.attempt = attempt;
    event.fact.Set(std::move(fact));
  };
  if (on == HookOn::job_queued) {
    schema::JobQueuedT fact;
    fact.job = kSampleJob;
    fact.spec = sample_spec();
    event.fact.Set(std::move(fact));
  } else if (on == HookOn::job_started) {
    event.fact.Set(schema::AttemptStartedT{});
  } else if (on == HookOn::job_retried) {
    event.fact.Set(schema::JobRetriedT{});
  } else if (on == HookOn::job_parked) {
    event.fact.Set(schema::JobParkedT{});
  } else if (on == HookOn::job_completed) {
    ended(schema::JobState::completed, schema::EndReason::exit_code);
  } else if (on == HookOn::job_killed) {
    ended(schema::JobState::killed, schema::EndReason::cancelled);
  } else if (on == HookOn::job_timed_out) {
    ended(schema::JobState::timed_out, schema::EndReason::timed_out);
  } else if (on == HookOn::job_skipped) {
    ended(schema::JobState::failed, schema::EndReason::dependency_failed, 0);
  } else if (on == HookOn::job_cancelled) {
    ended(schema::JobState::killed, schema::EndReason::cancelled_before_start, 0);
  } else if (on == HookOn::job_lost) {
    ended(schema::JobState::lost, schema::EndReason::machine_restarted);
  } else {
    ended(schema::JobState::failed, schema::EndReason::exit_code);
  }
  schema::PayloadUnion payload;
  payload.Set(std::move(event));
  return payload;
}

template <class Domain, class Fact>
schema::PayloadUnion payload_of(Fact fact) {
  Domain event;
  event.fact.Set(std::move(fact));
  schema::PayloadUnion payload;
  payload.Set(std::move(event));
  return payload;
}

/// For a kind that is not about a job's lifecycle.
schema::PayloadUnion sample_flow_fact(HookOn on) {
  if (on == HookOn::flow_gate_reached) {
    schema::StepGateReachedT fact;
    fact.step = "release";
    fact.gate = "sample";
    return payload_of<schema::FlowEventT>(std::move(fact));
  }
  if (on == HookOn::flow_gate_decided) {
    schema::StepGateDecidedT fact;
    fact.step = "release";
    fact.gate = "sample";
    fact.decision = schema::Decision::approved;
    return payload_of<schema::FlowEventT>(std::move(fact));
  }
  schema::FlowEndedT fact;
  fact.state = schema::StepState::completed;
  return payload_of<schema::FlowEventT>(std::move(fact));
}

template <class Fact>
schema::PayloadUnion question_fact() {
  Fact fact;
  fact.question = kSampleQuestion;
  if constexpr (std::is_same_v<Fact, schema::QuestionAskedT>) {
    fact.type = schema::QuestionType::choice;
    fact.options = {"production", "staging"};
  }
  return payload_of<schema::QuestionEventT>(std::move(fact));
}

template <class Fact>
schema::PayloadUnion approval_fact() {
  Fact fact;
  fact.approval = kSampleApproval;
  if constexpr (std::is_same_v<Fact, schema::ApprovalRequestedT>) fact.gate = "sample";
  if constexpr (std::is_same_v<Fact, schema::ApprovalDecidedT>) fact.decision = schema::Decision::approved;
  return payload_of<schema::ApprovalEventT>(std::move(fact));
}

schema::PayloadUnion sample_device_fact() {
  schema::DevicePairedT fact;
  fact.device = fact.name = "sample";
  return payload_of<schema::DeviceEventT>(std::move(fact));
}

schema::PayloadUnion sample_other_fact(HookOn on) {
  switch (on) {
    case HookOn::question_asked:
      return question_fact<schema::QuestionAskedT>();
    case HookOn::question_answered:
      return question_fact<schema::QuestionAnsweredT>();
    case HookOn::question_reminded:
      return question_fact<schema::QuestionRemindedT>();
    case HookOn::question_timed_out:
      return question_fact<schema::QuestionTimedOutT>();
    case HookOn::approval_reminded:
      return approval_fact<schema::ApprovalRemindedT>();
    case HookOn::approval_requested:
      return approval_fact<schema::ApprovalRequestedT>();
    case HookOn::approval_decided:
      return approval_fact<schema::ApprovalDecidedT>();
    case HookOn::alert_raised: {
      schema::AlertRaisedT fact;
      fact.alert = fact.alert_type = "sample";
      fact.message = "a sample, nothing is wrong";
      return payload_of<schema::AlertEventT>(std::move(fact));
    }
    case HookOn::device_paired:
      return sample_device_fact();
    case HookOn::alert_ended:
      return payload_of<schema::AlertEventT>(schema::AlertEndedT{});
    case HookOn::warning: {
      schema::WarningReportedT fact;
      fact.warning_type = "SAMPLE";
      fact.message = "a sample, nothing is wrong";
      return payload_of<schema::ReportEventT>(std::move(fact));
    }
    case HookOn::system_alert: {
      schema::SystemAlertReportedT fact;
      fact.alert_type = "SAMPLE";
      fact.message = "a sample, nothing is wrong";
      return payload_of<schema::ReportEventT>(std::move(fact));
    }
    case HookOn::queue_paused:
      return payload_of<schema::QueueEventT>(schema::QueuePausedT{});
    case HookOn::queue_resumed:
      return payload_of<schema::QueueEventT>(schema::QueueResumedT{});
    case HookOn::breaker_opened:
      return payload_of<schema::QueueEventT>(schema::BreakerOpenedT{});
    case HookOn::breaker_closed:
      return payload_of<schema::QueueEventT>(schema::BreakerClosedT{});
    case HookOn::flow_gate_reached:
    case HookOn::flow_gate_decided:
    case HookOn::flow_ended:
      return sample_flow_fact(on);
    case HookOn::daemon_started:
      return payload_of<schema::SystemEventT>(schema::DaemonStartedT{});
    case HookOn::digest:
      return payload_of<schema::SystemEventT>(schema::DigestDueT{});
    case HookOn::job_queued:
    case HookOn::job_started:
    case HookOn::job_completed:
    case HookOn::job_failed:
    case HookOn::job_killed:
    case HookOn::job_timed_out:
    case HookOn::job_lost:
    case HookOn::job_skipped:
    case HookOn::job_cancelled:
    case HookOn::job_ended:
    case HookOn::job_retried:
    case HookOn::job_parked:
      return sample_job_fact(on);
  }
  return {};
}

/// The prompt of such an event, as the views would have it; empty for other kinds.
NoticeInput sample_input(HookOn on) {
  NoticeInput input;
  if (on == HookOn::question_asked || on == HookOn::question_reminded) {
    view::QuestionT& question = input.question.emplace();
    question.id = kSampleQuestion;
    question.job = kSampleJob;
    question.type = schema::QuestionType::choice;
    question.question = "Where shall this be deployed to?";
    question.options = {"production", "staging"};
  } else if (on == HookOn::approval_requested || on == HookOn::approval_reminded) {
    view::ApprovalT& approval = input.approval.emplace();
    approval.id = kSampleApproval;
    approval.job = kSampleJob;
    approval.gate = "sample";
    approval.description = "a sample, nothing waits for it";
  }
  return input;
}

/// The job's row when such an event is reported.
view::JobT sample_job(HookOn on) {
  view::JobT job;
  job.id = kSampleJob;
  job.project = "sample";
  job.attempt = 1;
  if (on == HookOn::job_completed) job.exit_code = 0;
  if (on == HookOn::job_failed || on == HookOn::job_ended) job.exit_code = 1;
  return job;
}

bool concerns_a_flow(HookOn on) {
  return on == HookOn::flow_gate_reached || on == HookOn::flow_gate_decided || on == HookOn::flow_ended;
}

bool concerns_no_job(HookOn on) {
  return on == HookOn::alert_raised || on == HookOn::alert_ended || on >= HookOn::queue_paused;
}

}  // namespace

Notice sample_notice(HookOn on, const std::string& site, TimeUs now, const std::string& hook) {
  schema::EventT envelope;
  envelope.site = site;
  envelope.time_us = now;
  envelope.stream = concerns_a_flow(on)   ? "flow/f-" + std::string(kSampleJob)
                    : concerns_no_job(on) ? "system"
                                          : "job/" + std::string(kSampleJob);
  envelope.actor = std::make_unique<schema::ActorT>();
  envelope.payload = sample_other_fact(on);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Event::Pack(builder, &envelope), schema::EventIdentifier());
  const view::JobT job = sample_job(on);
  const schema::Event& event = *schema::GetEvent(builder.GetBufferPointer());
  Notice notice = make_notice(event, on, concerns_no_job(on) ? nullptr : &job, sample_input(on), hook);
  notice.request.reset();  // nobody waits for an answer
  notice.text = "Sample of a notice: " + notice.text;
  notice.variables.emplace_back("LUZIA_SAMPLE=1");
  return notice;
}

}  // namespace luzia
