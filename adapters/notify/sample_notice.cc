// An event of each kind, as it might be.
#include "adapters/notify/notice.h"

namespace luzia {
namespace {

constexpr std::string_view kSampleJob = "0000000000000";

std::unique_ptr<schema::JobSpecT> sample_spec() {
  auto spec = std::make_unique<schema::JobSpecT>();
  spec->project = "sample";
  spec->agent = "shell";
  return spec;
}

schema::PayloadUnion sample_job_fact(HookOn on) {
  schema::JobEventT event;
  const auto ended = [&event](schema::JobState state, schema::EndReason reason) {
    schema::JobEndedT fact;
    fact.state = state;
    fact.reason = reason;
    fact.attempt = 1;
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

/// Of a kind that concerns no job's life.
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

schema::PayloadUnion sample_other_fact(HookOn on) {
  switch (on) {
    case HookOn::question_asked:
      return payload_of<schema::QuestionEventT>(schema::QuestionAskedT{});
    case HookOn::question_answered:
      return payload_of<schema::QuestionEventT>(schema::QuestionAnsweredT{});
    case HookOn::question_reminded:
      return payload_of<schema::QuestionEventT>(schema::QuestionRemindedT{});
    case HookOn::question_timed_out:
      return payload_of<schema::QuestionEventT>(schema::QuestionTimedOutT{});
    case HookOn::approval_reminded:
      return payload_of<schema::ApprovalEventT>(schema::ApprovalRemindedT{});
    case HookOn::approval_requested:
      return payload_of<schema::ApprovalEventT>(schema::ApprovalRequestedT{});
    case HookOn::approval_decided:
      return payload_of<schema::ApprovalEventT>(schema::ApprovalDecidedT{});
    case HookOn::alert_raised: {
      schema::AlertRaisedT fact;
      fact.alert = fact.alert_type = "sample";
      fact.message = "a sample, nothing is wrong";
      return payload_of<schema::AlertEventT>(std::move(fact));
    }
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
    case HookOn::job_queued:
    case HookOn::job_started:
    case HookOn::job_completed:
    case HookOn::job_failed:
    case HookOn::job_killed:
    case HookOn::job_timed_out:
    case HookOn::job_lost:
    case HookOn::job_ended:
    case HookOn::job_retried:
    case HookOn::job_parked:
      return sample_job_fact(on);
  }
  return {};
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
  view::JobT job;
  job.id = kSampleJob;
  job.project = "sample";
  job.attempt = 1;
  const schema::Event& event = *schema::GetEvent(builder.GetBufferPointer());
  Notice notice = make_notice(event, on, concerns_no_job(on) ? nullptr : &job, {}, hook);
  notice.text = "Sample of a notice: " + notice.text;
  notice.variables.emplace_back("LUZIA_SAMPLE=1");
  return notice;
}

}  // namespace luzia
