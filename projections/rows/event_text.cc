#include "projections/rows/event_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/event/event.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/device_rows.h"
#include "projections/rows/flow_text.h"
#include "projections/rows/input_text.h"
#include "projections/rows/learning_rows.h"
#include "projections/rows/names.h"
#include "projections/rows/published_text.h"

namespace luzia {
namespace {

/// The event's time is when the daemon learned of the end, which may be long after it if the daemon was not
/// running.
std::string seen_late_text(const schema::AttemptEnded& fact, TimeUs heard) {
  constexpr TimeUs kAtOnce = 2 * kSecondUs;
  if (fact.ended_us() == 0 || heard - fact.ended_us() <= kAtOnce) return {};
  return " at " + format_rfc3339(fact.ended_us()) + ", which is seen now";
}

std::string attempt_end_text(const schema::AttemptEnded& fact, TimeUs heard) {
  if (fact.evidence_lost()) return fmt::format("attempt {} is gone without an exit record", fact.attempt());
  if (fact.start_error() && fact.start_error()->size() > 0) {
    // The end of the job, which follows, says why.
    return fmt::format("attempt {} {}", fact.attempt(),
                       fact.preflight_failed() ? "did not pass its preflight checks" : "did not start");
  }
  std::string how = fact.signal() != 0
                        ? fmt::format("killed by signal {} ({})", fact.signal(), signal_name(fact.signal()))
                    : fact.exit_code() ? fmt::format("exit code {}", *fact.exit_code())
                                       : std::string("no exit code");
  std::string sentence =
      fmt::format("attempt {} ended{}: {}, ran {}", fact.attempt(), seen_late_text(fact, heard), how,
                  format_duration(static_cast<TimeUs>(fact.wall_us())));
  if (fact.core_dumped()) sentence += ", core dumped";
  if (fact.leftovers_killed() > 0)
    sentence += ", " + counted(fact.leftovers_killed(), "leftover process", "leftover processes") + " killed";
  return sentence;
}

std::string queued_text(const schema::JobQueued& fact) {
  const auto* spec = fact.spec();
  std::string sentence =
      fmt::format("queued for {} with {}, priority {}", spec ? text(spec->project()) : std::string_view("?"),
                  spec ? text(spec->agent()) : std::string_view("?"), fact.priority());
  if (fact.after() && fact.after()->size() > 0)
    sentence += ", after " + counted(fact.after()->size(), "other job");
  return sentence;
}

std::string retried_text(const schema::JobRetried& fact) {
  return with_note(
      fmt::format("{} as attempt {}{}", fact.automatic() ? "retried by itself" : "retried", fact.attempt(),
                  fact.message() == nullptr
                      ? std::string()
                      : ", with a message of " + counted(fact.message()->size(), "byte")),
      fact.note());
}

std::string rescheduled_text(const schema::JobRescheduled& fact) {
  return with_note(fact.not_before_us() == 0
                       ? std::string("starts as soon as its turn comes")
                       : "does not start before " + format_rfc3339(fact.not_before_us()),
                   fact.note());
}

std::string imported_text(const schema::JobImported& fact) {
  return fmt::format("taken over from {}: {}", text(fact.source()), schema::EnumNameJobState(fact.state()));
}

std::string tracked_text(const schema::JobTracked& fact) {
  const std::string log(text(fact.log()));
  const std::string process = fact.pid() == 0 ? std::string() : fmt::format("process {}", fact.pid());
  if (process.empty() && log.empty()) {
    return fmt::format("tracked as task {}: Luzia did not dispatch it", text(fact.task_id()));
  }
  const bool from_start = fact.checkpoint() == nullptr;
  std::string what = process + (process.empty() || log.empty() ? "" : " and ") + log;
  if (!log.empty()) {
    what += from_start ? " from its start" : fmt::format(" from byte {}", fact.checkpoint()->scanned_to());
  }
  return "watches " + what + ": Luzia did not start it";
}

std::string prompt_text(const schema::PromptBuilt& fact) {
  return fmt::format("prompt built by template {}: {} in {}", text(fact.template_()),
                     counted(fact.bytes(), "byte"),
                     counted(fact.sections() ? fact.sections()->size() : 0, "section"));
}

/// The detail's text includes exit code and signal.
std::string ended_text(const schema::JobEnded& fact) {
  const std::string_view detail = text(fact.detail());
  const bool by_process =
      fact.reason() == schema::EndReason::exit_code || fact.reason() == schema::EndReason::signal;
  const std::string why =
      by_process ? std::string(detail) : end_text(fact.state(), fact.reason(), std::nullopt, 0, detail);
  return std::string(state_name(fact.state())).append(why.empty() ? "" : ": ").append(why);
}

/// `heard`: the time of the event.
std::string removed_text(const schema::JobRemoved& fact) {
  return with_note(fact.purged() ? "removed, its texts erased" : "removed", fact.note());
}

std::string parked_text(const schema::JobParked& fact) {
  return fmt::format("parked until {}: {}", format_rfc3339(fact.until_us()), text(fact.limit()));
}

std::string dependency_text(const schema::DependencyEnded& fact) {
  const std::string_view end = !fact.never_ran()                          ? state_name(fact.state())
                               : fact.state() == schema::JobState::killed ? "was cancelled"
                                                                          : "was skipped";
  return fmt::format("{}, which it depends on, {}", text(fact.job()), end);
}

std::string job_text(const schema::JobEvent& job, TimeUs heard) {
  using schema::JobFact;
  switch (job.fact_type()) {
    case JobFact::NONE:
      return "something about the job that this program does not know";
    case JobFact::JobQueued:
      return queued_text(*job.fact_as_JobQueued());
    case JobFact::AttemptStarting:
      return fmt::format("attempt {} is starting", job.fact_as_AttemptStarting()->attempt());
    case JobFact::AttemptStarted: {
      const auto& fact = *job.fact_as_AttemptStarted();
      return fmt::format("attempt {} started (pid {})", fact.attempt(), fact.pid());
    }
    case JobFact::StopRequested: {
      const auto& fact = *job.fact_as_StopRequested();
      return with_note(fmt::format("stop requested ({})", stop_reason_name(fact.reason())), fact.note());
    }
    case JobFact::StopForced:
      return "did not stop in time: killed";
    case JobFact::RunnerGone:
      return fmt::format("its parent process luzia-run is gone, process {} of it lives on",
                         job.fact_as_RunnerGone()->pid());
    case JobFact::AttemptEnded:
      return attempt_end_text(*job.fact_as_AttemptEnded(), heard);
    case JobFact::JobEnded:
      return ended_text(*job.fact_as_JobEnded());
    case JobFact::JobRetried:
      return retried_text(*job.fact_as_JobRetried());
    case JobFact::JobHeld:
      return with_note("held", job.fact_as_JobHeld()->note());
    case JobFact::JobReleased:
      return with_note("released", job.fact_as_JobReleased()->note());
    case JobFact::JobPaused:
      return with_note("paused", job.fact_as_JobPaused()->note());
    case JobFact::JobResumed:
      return with_note("resumed", job.fact_as_JobResumed()->note());
    case JobFact::JobReprioritized:
      return fmt::format("priority set to {}", job.fact_as_JobReprioritized()->priority());
    case JobFact::JobImported:
      return imported_text(*job.fact_as_JobImported());
    case JobFact::JobTracked:
      return tracked_text(*job.fact_as_JobTracked());
    case JobFact::JobRemoved:
      return removed_text(*job.fact_as_JobRemoved());
    case JobFact::PromptBuilt:
      return prompt_text(*job.fact_as_PromptBuilt());
    case JobFact::JobRescheduled:
      return rescheduled_text(*job.fact_as_JobRescheduled());
    case JobFact::JobParked:
      return parked_text(*job.fact_as_JobParked());
    case JobFact::JobUnparked:
      return with_note("taken out of parking", job.fact_as_JobUnparked()->note());
    case JobFact::JobWaiting:
      return fmt::format("waits for a person ({} open)", job.fact_as_JobWaiting()->open());
    case JobFact::JobContinued:
      return fmt::format("goes on ({} open)", job.fact_as_JobContinued()->open());
    case JobFact::ExitRecordLate:
      return fmt::format("exit record of attempt {} came late, after it was given up",
                         job.fact_as_ExitRecordLate()->attempt());
    case JobFact::DependencyEnded:
      return dependency_text(*job.fact_as_DependencyEnded());
    case JobFact::DeadlinesShifted:
      return fmt::format("deadlines moved by {} s with the clock",
                         job.fact_as_DeadlinesShifted()->by_us() / kSecondUs);
  }
  return "something about the job that this program does not know";
}

std::string output_text(const schema::OutputEvent& output) {
  using schema::OutputFact;
  switch (output.fact_type()) {
    case OutputFact::OutputAppended: {
      const auto& fact = *output.fact_as_OutputAppended();
      return fmt::format("wrote {}, {}", counted(fact.to() - std::min(fact.from(), fact.to()), "byte"),
                         counted(fact.lines(), "line"));
    }
    case OutputFact::OutputRestarted: {
      const auto& fact = *output.fact_as_OutputRestarted();
      return fmt::format("output.log was {}; reading starts again",
                         schema::EnumNameOutputReset(fact.reason()));
    }
    case OutputFact::AnnotationFound: {
      const auto& fact = *output.fact_as_AnnotationFound();
      std::string place;
      if (fact.file() && fact.file()->size() > 0) {
        place = fmt::format("{}:{}: ", text(fact.file()), fact.line());
      }
      return fmt::format("{}: {}{}", severity_name(fact.severity()), place, text(fact.message()));
    }
    case OutputFact::FindingsLimited: {
      const auto& fact = *output.fact_as_FindingsLimited();
      if (fact.omitted() == 0) {
        return fmt::format("more than {} of kind {} in this output: further ones are counted only",
                           fact.kept(), text(fact.kind()));
      }
      return fmt::format("{} more of kind {} were counted, not recorded", fact.omitted(), text(fact.kind()));
    }
    case OutputFact::NONE:
      break;
  }
  return "something about the output that this program does not know";
}

std::string progress_text(const schema::ProgressReported& fact) {
  std::string sentence = "progress";
  if (fact.progress_percent()) sentence += fmt::format(" {:.0f} %", *fact.progress_percent());
  if (fact.total_steps() > 0)
    sentence += fmt::format(", step {} of {}", fact.current_step(), fact.total_steps());
  if (const auto left = fact.estimated_remaining_seconds()) {
    sentence += ", about " + seconds_text(*left) + " left";
  }
  return with_note(std::move(sentence), fact.current_step_name());
}

std::string report_text(const schema::ReportEvent& report) {
  using schema::ReportFact;
  switch (report.fact_type()) {
    case ReportFact::TaskStarted: {
      const auto& fact = *report.fact_as_TaskStarted();
      std::string sentence = "says it started";
      if (fact.estimated_duration_seconds() > 0) {
        sentence += ", for about " + seconds_text(fact.estimated_duration_seconds());
      }
      return with_note(std::move(sentence), fact.description());
    }
    case ReportFact::ProgressReported:
      return progress_text(*report.fact_as_ProgressReported());
    case ReportFact::TaskCompleted: {
      const auto& fact = *report.fact_as_TaskCompleted();
      return fmt::format("says it completed: {}, {}, {}", verdict_name(fact.status()),
                         counted(fact.findings_count(), "finding"),
                         counted(fact.recommendations_count(), "recommendation"));
    }
    case ReportFact::TaskQueued: {
      const auto& fact = *report.fact_as_TaskQueued();
      std::string sentence = "says it is queued";
      if (fact.queue_position() > 0) sentence += fmt::format(" at position {}", fact.queue_position());
      if (fact.estimated_wait_seconds() > 0) {
        sentence += ", for about " + seconds_text(fact.estimated_wait_seconds());
      }
      return with_note(std::move(sentence), fact.reason());
    }
    case ReportFact::WarningReported: {
      const auto& fact = *report.fact_as_WarningReported();
      const std::string_view type = text(fact.warning_type());
      return with_note(fmt::format("warning{}{}: {}", type.empty() ? "" : " ", type, text(fact.message())),
                       fact.recommendation(), "; ");
    }
    case ReportFact::TaskFailed:
      return with_note("says it failed", report.fact_as_TaskFailed()->error());
    case ReportFact::SystemAlertReported: {
      const auto& fact = *report.fact_as_SystemAlertReported();
      return with_note(fmt::format("alert {}: {}", text(fact.alert_type()), text(fact.message())),
                       fact.recommendation(), "; ");
    }
    case ReportFact::SessionIdentified: {
      const auto& fact = *report.fact_as_SessionIdentified();
      return fmt::format("session {}, model {}", text(fact.session_id()), text(fact.model()));
    }
    case ReportFact::TodoReported:
    case ReportFact::AgentRetried:
    case ReportFact::AgentErrorReported:
    case ReportFact::AgentConcluded:
      return agent_report_text(report);
    case ReportFact::NONE:
      break;
  }
  return "a report that this program does not know";
}

std::string queue_text(const schema::QueueEvent& queue, TimeUs at) {
  using schema::QueueFact;
  const auto scope = [](const flatbuffers::String* project) {
    return project && project->size() > 0 ? "queue of " + project->str() : std::string("queue");
  };
  switch (queue.fact_type()) {
    case QueueFact::QueuePaused:
      return with_note(scope(queue.fact_as_QueuePaused()->project()) + " paused",
                       queue.fact_as_QueuePaused()->note());
    case QueueFact::QueueResumed:
      return with_note(scope(queue.fact_as_QueueResumed()->project()) + " resumed",
                       queue.fact_as_QueueResumed()->note());
    case QueueFact::BreakerOpened: {
      const auto& fact = *queue.fact_as_BreakerOpened();
      return fmt::format(
          "{} stopped for {} after {} quick failures in a row; start jobs again now: luzia resume --project "
          "{}",
          scope(fact.project()), format_duration(std::max<TimeUs>(0, fact.until_us() - at)), fact.failures(),
          text(fact.project()));
    }
    case QueueFact::BreakerClosed:
      return scope(queue.fact_as_BreakerClosed()->project()) + " starts jobs again";
    case QueueFact::AgentParked: {
      const auto& fact = *queue.fact_as_AgentParked();
      return with_note(
          fmt::format("agent {} is parked until {}", text(fact.agent()), format_rfc3339(fact.until_us())),
          fact.limit());
    }
    case QueueFact::AgentUnparked:
      return with_note(
          fmt::format("agent {} starts jobs again", text(queue.fact_as_AgentUnparked()->agent())),
          queue.fact_as_AgentUnparked()->note());
    case QueueFact::ProjectBudgetNoted: {
      const auto& fact = *queue.fact_as_ProjectBudgetNoted();
      return fmt::format("{} of {} on this day: {:.6g} of {:.6g}{}", text(fact.kind()), scope(fact.project()),
                         fact.used(), fact.budget(), fact.reached() ? ", nothing of it starts any more" : "");
    }
    case QueueFact::ProjectBudgetLifted:
      return with_note(scope(queue.fact_as_ProjectBudgetLifted()->project()) + " goes on over its budget",
                       queue.fact_as_ProjectBudgetLifted()->note());
    case QueueFact::DrainStarted:
      return with_note("draining: nothing starts any more, what runs goes on to its end",
                       queue.fact_as_DrainStarted()->note());
    case QueueFact::DrainEnded:
      return with_note("the drain is over: jobs start again", queue.fact_as_DrainEnded()->note());
    case QueueFact::NONE:
      break;
  }
  return "something about the queue that this program does not know";
}

std::string system_text(const schema::SystemEvent& system) {
  using schema::SystemFact;
  switch (system.fact_type()) {
    case SystemFact::StoreCreated:
      return fmt::format("store created for site {}", text(system.fact_as_StoreCreated()->site()));
    case SystemFact::DaemonStarted: {
      const auto& fact = *system.fact_as_DaemonStarted();
      return fmt::format("luziad {} started (pid {})", text(fact.version()), fact.pid());
    }
    case SystemFact::DaemonStopped:
      return with_note("luziad stopped", system.fact_as_DaemonStopped()->reason());
    case SystemFact::ClockStepped:
      return fmt::format("the clock stepped by {:.1f} s",
                         static_cast<double>(system.fact_as_ClockStepped()->step_us()) / kSecondUs);
    case SystemFact::BlobErased:
      return with_note(fmt::format("a text of event {} was erased", system.fact_as_BlobErased()->position()),
                       system.fact_as_BlobErased()->reason());
    case SystemFact::HookRegistered:
      return fmt::format("hook {} receives events after {}", text(system.fact_as_HookRegistered()->hook()),
                         system.fact_as_HookRegistered()->position());
    case SystemFact::HookDelivered: {
      const auto& fact = *system.fact_as_HookDelivered();
      return with_note(fmt::format("hook {}: event {} {}", text(fact.hook()), fact.position(),
                                   hook_outcome_name(fact.outcome())),
                       fact.detail());
    }
    case SystemFact::RollbackAccepted: {
      const auto& fact = *system.fact_as_RollbackAccepted();
      return with_note(fmt::format("a person accepted that the log ends at {} although {} had been seen",
                                   fact.log_end(), fact.seen()),
                       fact.sign());
    }
    case SystemFact::StoreScrubbed: {
      const auto& fact = *system.fact_as_StoreScrubbed();
      return fmt::format("store read through: {} groups, {} texts, {} damaged", fact.groups(), fact.texts(),
                         fact.damaged());
    }
    case SystemFact::NONE:
      break;
  }
  return "something about the store that this program does not know";
}

std::string alert_text(const schema::AlertEvent& alert) {
  if (const auto* fact = alert.fact_as_AlertRaised()) {
    return with_note(fmt::format("{} alert {}: {}", severity_name(fact->severity()), text(fact->alert()),
                                 text(fact->message())),
                     fact->recommendation(), "; ");
  }
  if (const auto* fact = alert.fact_as_AlertEnded())
    return fmt::format("alert {} is over", text(fact->alert()));
  return "an alert that this program does not know";
}

}  // namespace

std::string event_text(const schema::Event& event) {
  using schema::Payload;
  switch (event.payload_type()) {
    case Payload::JobEvent:
      return job_text(*event.payload_as_JobEvent(), event.time_us());
    case Payload::OutputEvent:
      return output_text(*event.payload_as_OutputEvent());
    case Payload::ReportEvent:
      return report_text(*event.payload_as_ReportEvent());
    case Payload::QueueEvent:
      return queue_text(*event.payload_as_QueueEvent(), event.time_us());
    case Payload::SystemEvent:
      return system_text(*event.payload_as_SystemEvent());
    case Payload::AlertEvent:
      return alert_text(*event.payload_as_AlertEvent());
    case Payload::UsageEvent:
      return usage_text(*event.payload_as_UsageEvent());
    case Payload::IssueEvent:
      return issue_text(*event.payload_as_IssueEvent());
    case Payload::ToolEvent:
      return tool_text(*event.payload_as_ToolEvent());
    case Payload::QuestionEvent:
      return question_text(event);
    case Payload::ApprovalEvent:
      return approval_text(event);
    case Payload::WorkspaceEvent:
      return workspace_text(event);
    case Payload::FlowEvent:
      return flow_text(*event.payload_as_FlowEvent());
    case Payload::LearningEvent:
      return learning_text(*event.payload_as_LearningEvent());
    case Payload::DeviceEvent:
      return device_text(*event.payload_as_DeviceEvent());
    case Payload::NONE:
      break;
  }
  return "an event that this program does not know";
}

bool explains_state(const schema::Event& event) {
  using schema::Payload;
  switch (event.payload_type()) {
    case Payload::JobEvent:
    case Payload::QuestionEvent:
    case Payload::ApprovalEvent:
    case Payload::QueueEvent:
    case Payload::AlertEvent:
      return true;
    case Payload::IssueEvent:
      return event.payload_as_IssueEvent()->fact_as_IssueRepeated() == nullptr;
    case Payload::OutputEvent: {
      const auto& output = *event.payload_as_OutputEvent();
      const auto* annotation = output.fact_as_AnnotationFound();
      return output.fact_as_OutputRestarted() ||
             (annotation && annotation->severity() >= schema::Severity::warning);
    }
    case Payload::ReportEvent: {
      const auto& report = *event.payload_as_ReportEvent();
      return report.fact_as_WarningReported() || report.fact_as_TaskFailed() ||
             report.fact_as_TaskCompleted() || report.fact_as_SystemAlertReported() ||
             report.fact_as_AgentErrorReported() || report.fact_as_AgentConcluded();
    }
    case Payload::UsageEvent:
      return event.payload_as_UsageEvent()->fact_as_LimitReached() != nullptr;
    case Payload::WorkspaceEvent:
      return explains_files(*event.payload_as_WorkspaceEvent());
    case Payload::NONE:
    case Payload::FlowEvent:
    case Payload::ToolEvent:
    case Payload::LearningEvent:
    case Payload::SystemEvent:
    case Payload::DeviceEvent:
      return false;
  }
  return false;
}

std::string actor_text(const schema::Event& event) {
  const auto* actor = event.actor();
  if (!actor) return "daemon";
  if (std::string named = actor_name(event); !named.empty()) return named;
  if (actor->kind() == schema::ActorKind::person) return fmt::format("uid {}", actor->uid());
  return std::string(actor_kind_name(actor->kind()));
}

std::string evidence_text(const schema::Event& event) {
  const auto* evidence = event.evidence();
  if (!evidence || evidence->kind() == schema::EvidenceKind::asserted) {
    const auto* actor = event.actor();
    const bool on_behalf =
        actor != nullptr && actor->kind() == schema::ActorKind::daemon && !text(actor->name()).empty();
    return (on_behalf ? "asserted by daemon for " : "asserted by ") + actor_text(event);
  }
  if (text(evidence->rule()) == kExitCopyRule) {
    return fmt::format("read in exit.json of attempt {}: the log is older than its end", evidence->attempt());
  }
  if (text(evidence->rule()) == kStoppedUnseenRule) {
    return "concluded: a stop was requested, and no exit record says otherwise";
  }
  if (evidence->log_to() == 0) return fmt::format("concluded ({})", text(evidence->rule()));
  std::string sentence = fmt::format("seen in output.log of attempt {} at bytes {}-{}", evidence->attempt(),
                                     evidence->log_from(), evidence->log_to());
  if (evidence->rule() && evidence->rule()->size() > 0)
    sentence += fmt::format(" ({})", text(evidence->rule()));
  return sentence;
}

}  // namespace luzia
