#include "projections/rows/event_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/joined_names.h"
#include "engine/base/percent.h"
#include "engine/event/limits_text.h"
#include "engine/event/take_fact.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/device_rows.h"
#include "projections/rows/flow_text.h"
#include "projections/rows/input_text.h"
#include "projections/rows/learning_rows.h"
#include "projections/rows/names.h"
#include "projections/rows/published_text.h"
#include "projections/rows/schedule_rows.h"
#include "projections/rows/told_rows.h"

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
  if (fact.verified()) {
    sentence += *fact.verified() ? "; its checks passed" : fmt::format("; the {}", text(fact.check_error()));
  }
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
  return with_note(fmt::format("{} as attempt {}{}",
                               fact.corrects()    ? "sent back to its agent"
                               : fact.automatic() ? "retried by itself"
                                                  : "retried",
                               fact.attempt(),
                               fact.message() == nullptr
                                   ? std::string()
                                   : ", with a message of " + counted(fact.message()->size(), "byte")),
                   fact.note());
}

std::string told_text(const schema::JobTold& fact) {
  const std::string_view from = text(fact.from_job());
  const std::size_t files = fact.files() == nullptr ? 0 : fact.files()->size();
  return fmt::format("told {} ({}){}{}", counted(fact.text() == nullptr ? 0 : fact.text()->size(), "byte"),
                     text(fact.message()), from.empty() ? "" : fmt::format(", by the agent of job {}", from),
                     files == 0 ? "" : ", with " + counted(files, "file"));
}

std::string told_read_text(const schema::JobToldRead& fact) {
  return fmt::format("{}: {}", joined_names(fact.messages()), read_words(fact.attempt(), fact.how()));
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

std::string limited_text(const schema::AttemptLimited& fact) {
  const std::string_view cgroup = text(fact.cgroup());
  const std::string by =
      cgroup.empty() ? "luziad, which looks at what is used" : fmt::format("the kernel in {}", cgroup);
  return with_note(fmt::format("the limits of attempt {} are held by {}", fact.attempt(), by),
                   fact.not_held());
}

std::string host_text(const schema::HostUse& use, bool total) {
  const std::string_view host = text(use.host());
  const bool is_six = host.find(':') != std::string_view::npos;
  const std::string where =
      is_six ? fmt::format("[{}]:{}", host, use.port()) : fmt::format("{}:{}", host, use.port());
  const std::string times = total ? ", " + counted(use.connections(), "time") : std::string();
  switch (use.verdict()) {
    case schema::HostVerdict::not_listed:
      return fmt::format("refused: {} is not in sandbox_network{}", where, times);
    case schema::HostVerdict::private_address:
      return fmt::format("refused: {} has an address of this machine or of a private network{}", where,
                         times);
    case schema::HostVerdict::allowed:
      break;
  }
  if (!total) return "connects to " + where;
  if (use.connections() == 0) return where + " could not be reached";
  return fmt::format("connected to {}{}, {}", where, times, size_words(use.bytes()));
}

std::string hosts_text(const schema::HostsContacted& fact) {
  constexpr std::size_t kMostNamed = 40;
  std::string sentence = fact.total() ? fmt::format("the network of attempt {}: ", fact.attempt()) : "";
  const std::size_t count = fact.hosts() == nullptr ? 0 : fact.hosts()->size();
  for (std::size_t i = 0; i < std::min(count, kMostNamed); ++i) {
    if (i > 0) sentence += "; ";
    sentence += host_text(*fact.hosts()->Get(static_cast<flatbuffers::uoffset_t>(i)), fact.total());
  }
  if (count > kMostNamed) sentence += fmt::format("; and {} more", counted(count - kMostNamed, "host"));
  if (fact.more() > 0) sentence += fmt::format("; {} to further hosts", counted(fact.more(), "contact"));
  return sentence;
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
  return fact_or(
      std::string("something about the job that this program does not know"), job,
      [&](const schema::JobQueued& fact) { return queued_text(fact); },
      [&](const schema::AttemptStarting& fact) {
        return fmt::format("attempt {} is starting", fact.attempt());
      },
      [&](const schema::AttemptStarted& fact) {
        const std::string sandbox(text(fact.sandbox()));
        return fmt::format("attempt {} started (pid {}){}{}", fact.attempt(), fact.pid(),
                           sandbox.empty() ? "" : ", sandbox ", sandbox);
      },
      [&](const schema::StopRequested& fact) {
        return with_note(fmt::format("stop requested ({})", stop_reason_name(fact.reason())), fact.note());
      },
      [&](const schema::AttemptLimited& fact) { return limited_text(fact); },
      [&](const schema::HostsContacted& fact) { return hosts_text(fact); },
      [&](const schema::StopForced&) { return "did not stop in time: killed"; },
      [&](const schema::RunnerGone& fact) {
        return fmt::format("its parent process luzia-run is gone, process {} of it lives on", fact.pid());
      },
      [&](const schema::AttemptEnded& fact) { return attempt_end_text(fact, heard); },
      [&](const schema::JobEnded& fact) { return ended_text(fact); },
      [&](const schema::JobRetried& fact) { return retried_text(fact); },
      [&](const schema::JobTold& fact) { return told_text(fact); },
      [&](const schema::JobToldRead& fact) { return told_read_text(fact); },
      [&](const schema::JobHeld& fact) { return with_note("held", fact.note()); },
      [&](const schema::JobReleased& fact) { return with_note("released", fact.note()); },
      [&](const schema::JobPaused& fact) { return with_note("paused", fact.note()); },
      [&](const schema::JobResumed& fact) { return with_note("resumed", fact.note()); },
      [&](const schema::JobReprioritized& fact) {
        return fmt::format("priority set to {}", fact.priority());
      },
      [&](const schema::JobImported& fact) { return imported_text(fact); },
      [&](const schema::JobTracked& fact) { return tracked_text(fact); },
      [&](const schema::JobRemoved& fact) { return removed_text(fact); },
      [&](const schema::PromptBuilt& fact) { return prompt_text(fact); },
      [&](const schema::JobRescheduled& fact) { return rescheduled_text(fact); },
      [&](const schema::JobParked& fact) { return parked_text(fact); },
      [&](const schema::JobRerouted& fact) {
        return with_note(fmt::format("goes on with {} instead of {}", text(fact.agent()), text(fact.from())),
                         fact.note());
      },
      [&](const schema::JobUnparked& fact) { return with_note("taken out of parking", fact.note()); },
      [&](const schema::JobWaiting& fact) {
        return fact.open() > 1 ? fmt::format("waits for a person ({} open)", fact.open())
                               : "waits for a person";
      },
      [&](const schema::JobContinued& fact) {
        return fact.open() > 0 ? fmt::format("goes on ({} still open)", fact.open()) : "goes on";
      },
      [&](const schema::ExitRecordLate& fact) {
        return fmt::format("exit record of attempt {} came late, after it was given up", fact.attempt());
      },
      [&](const schema::DependencyEnded& fact) { return dependency_text(fact); },
      [&](const schema::DeadlinesShifted& fact) {
        return fmt::format("deadlines moved by {} s with the clock", fact.by_us() / kSecondUs);
      });
}

std::string output_text(const schema::OutputEvent& output) {
  return fact_or(
      std::string("something about the output that this program does not know"), output,
      [&](const schema::OutputAppended& fact) {
        return fmt::format("wrote {}, {}", counted(fact.to() - std::min(fact.from(), fact.to()), "byte"),
                           counted(fact.lines(), "line"));
      },
      [&](const schema::OutputRestarted& fact) {
        return fmt::format("output.log was {}; reading starts again",
                           schema::EnumNameOutputReset(fact.reason()));
      },
      [&](const schema::AnnotationFound& fact) {
        std::string place;
        if (fact.file() && fact.file()->size() > 0) {
          place = fmt::format("{}:{}: ", text(fact.file()), fact.line());
        }
        return fmt::format("{}: {}{}", severity_name(fact.severity()), place, text(fact.message()));
      },
      [&](const schema::FindingsLimited& fact) {
        if (fact.omitted() == 0) {
          return fmt::format("more than {} of kind {} in this output: further ones are counted only",
                             fact.kept(), text(fact.kind()));
        }
        return fmt::format("{} more of kind {} were counted, not recorded", fact.omitted(),
                           text(fact.kind()));
      });
}

std::string progress_text(const schema::ProgressReported& fact) {
  std::string sentence = "progress";
  if (fact.progress_percent()) sentence += " " + whole_percent(*fact.progress_percent() / 100);
  if (fact.total_steps() > 0)
    sentence += fmt::format(", step {} of {}", fact.current_step(), fact.total_steps());
  if (const auto left = fact.estimated_remaining_seconds()) {
    sentence += ", about " + seconds_text(*left) + " left";
  }
  return with_note(std::move(sentence), fact.current_step_name());
}

std::string report_text(const schema::ReportEvent& report) {
  return fact_or(
      std::string("a report that this program does not know"), report,
      [&](const schema::TaskStarted& fact) {
        std::string sentence = "says it started";
        if (fact.estimated_duration_seconds() > 0) {
          sentence += ", for about " + seconds_text(fact.estimated_duration_seconds());
        }
        return with_note(std::move(sentence), fact.description());
      },
      [&](const schema::ProgressReported& fact) { return progress_text(fact); },
      [&](const schema::TaskCompleted& fact) {
        return fmt::format("says it completed: {}, {}, {}", verdict_name(fact.status()),
                           counted(fact.findings_count(), "finding"),
                           counted(fact.recommendations_count(), "recommendation"));
      },
      [&](const schema::TaskQueued& fact) {
        std::string sentence = "says it is queued";
        if (fact.queue_position() > 0) sentence += fmt::format(" at position {}", fact.queue_position());
        if (fact.estimated_wait_seconds() > 0) {
          sentence += ", for about " + seconds_text(fact.estimated_wait_seconds());
        }
        return with_note(std::move(sentence), fact.reason());
      },
      [&](const schema::WarningReported& fact) {
        const std::string_view type = text(fact.warning_type());
        return with_note(fmt::format("warning{}{}: {}", type.empty() ? "" : " ", type, text(fact.message())),
                         fact.recommendation(), "; ");
      },
      [&](const schema::TaskFailed& fact) { return with_note("says it failed", fact.error()); },
      [&](const schema::SystemAlertReported& fact) {
        return with_note(fmt::format("alert {}: {}", text(fact.alert_type()), text(fact.message())),
                         fact.recommendation(), "; ");
      },
      [&](const schema::SessionIdentified& fact) {
        return fmt::format("session {}, model {}", text(fact.session_id()), text(fact.model()));
      },
      [&](const schema::TodoReported&) { return agent_report_text(report); },
      [&](const schema::AgentRetried&) { return agent_report_text(report); },
      [&](const schema::AgentErrorReported&) { return agent_report_text(report); },
      [&](const schema::AgentConcluded&) { return agent_report_text(report); });
}

std::string queue_text(const schema::QueueEvent& queue, TimeUs at) {
  const auto scope = [](const flatbuffers::String* project) {
    return project && project->size() > 0 ? "queue of " + project->str() : std::string("queue");
  };
  return fact_or(
      std::string("something about the queue that this program does not know"), queue,
      [&](const schema::QueuePaused& fact) {
        return with_note(scope(fact.project()) + " paused", fact.note());
      },
      [&](const schema::QueueResumed& fact) {
        return with_note(scope(fact.project()) + " resumed", fact.note());
      },
      [&](const schema::BreakerOpened& fact) {
        return fmt::format(
            "{} stopped for {} after {} quick failures in a row; start jobs again now: "
            "luzia resume --project {}",
            scope(fact.project()), format_duration(std::max<TimeUs>(0, fact.until_us() - at)),
            fact.failures(), text(fact.project()));
      },
      [&](const schema::BreakerClosed& fact) { return scope(fact.project()) + " starts jobs again"; },
      [&](const schema::AgentParked& fact) {
        if (text(fact.limit()) == kLoginLimit) {
          return fmt::format("agent {} is parked until it is logged in again, at most until {}",
                             text(fact.agent()), format_rfc3339(fact.until_us()));
        }
        return with_note(
            fmt::format("agent {} is parked until {}", text(fact.agent()), format_rfc3339(fact.until_us())),
            fact.limit());
      },
      [&](const schema::AgentUnparked& fact) {
        return with_note(fmt::format("agent {} starts jobs again", text(fact.agent())), fact.note());
      },
      [&](const schema::ProjectBudgetNoted& fact) {
        return fmt::format("{} of {} on this day: {:.6g} of {:.6g}{}", text(fact.kind()),
                           scope(fact.project()), fact.used(), fact.budget(),
                           fact.reached() ? ", nothing of it starts any more" : "");
      },
      [&](const schema::ProjectBudgetLifted& fact) {
        return with_note(scope(fact.project()) + " goes on over its budget", fact.note());
      },
      [&](const schema::DrainStarted& fact) {
        return with_note("draining: nothing starts any more, what runs goes on to its end", fact.note());
      },
      [&](const schema::DrainEnded& fact) {
        return with_note("the drain is over: jobs start again", fact.note());
      });
}

std::string system_text(const schema::SystemEvent& system) {
  return fact_or(
      std::string("something about the store that this program does not know"), system,
      [&](const schema::StoreCreated& fact) {
        return fmt::format("store created for site {}", text(fact.site()));
      },
      [&](const schema::DaemonStarted& fact) {
        return fmt::format("luziad {} started (pid {})", text(fact.version()), fact.pid());
      },
      [&](const schema::DaemonStopped& fact) { return with_note("luziad stopped", fact.reason()); },
      [&](const schema::ClockStepped& fact) {
        return fmt::format("the clock stepped by {:.1f} s", static_cast<double>(fact.step_us()) / kSecondUs);
      },
      [&](const schema::BlobErased& fact) {
        return with_note(fmt::format("a text of event {} was erased", fact.position()), fact.reason());
      },
      [&](const schema::HookRegistered& fact) {
        return fmt::format("hook {} receives events after {}", text(fact.hook()), fact.position());
      },
      [&](const schema::HookDelivered& fact) {
        return with_note(fmt::format("hook {}: event {} {}", text(fact.hook()), fact.position(),
                                     hook_outcome_name(fact.outcome())),
                         fact.detail());
      },
      [&](const schema::RollbackAccepted& fact) {
        return with_note(fmt::format("a person accepted that the log ends at {} although {} had been seen",
                                     fact.log_end(), fact.seen()),
                         fact.sign());
      },
      [&](const schema::StoreScrubbed& fact) {
        return fmt::format("store read through: {} groups, {} texts, {} damaged", fact.groups(), fact.texts(),
                           fact.damaged());
      },
      [&](const schema::FilesExpired& fact) {
        const bool whole = fact.files() == schema::KeptFiles::directory;
        return with_note(whole ? "its directory expired" : "its output expired", fact.rule());
      },
      [&](const schema::DigestDue& fact) {
        return fmt::format("hook {}: a digest is due", text(fact.hook()));
      });
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
  return fact_or(
      std::string("an event that this program does not know"), event,
      [&](const schema::JobEvent& job) { return job_text(job, event.time_us()); },
      [&](const schema::OutputEvent& output) { return output_text(output); },
      [&](const schema::ReportEvent& report) { return report_text(report); },
      [&](const schema::QueueEvent& queue) { return queue_text(queue, event.time_us()); },
      [&](const schema::SystemEvent& system) { return system_text(system); },
      [&](const schema::AlertEvent& alert) { return alert_text(alert); },
      [&](const schema::UsageEvent& usage) { return usage_text(usage); },
      [&](const schema::IssueEvent& issue) { return issue_text(issue); },
      [&](const schema::ToolEvent& tool) { return tool_text(tool); },
      [&](const schema::QuestionEvent&) { return question_text(event); },
      [&](const schema::ApprovalEvent&) { return approval_text(event); },
      [&](const schema::WorkspaceEvent&) { return workspace_text(event); },
      [&](const schema::FlowEvent& flow) { return flow_text(flow); },
      [&](const schema::LearningEvent& learning) { return learning_text(learning); },
      [&](const schema::DeviceEvent& device) { return device_text(device); },
      [&](const schema::ScheduleEvent&) { return schedule_text(event); });
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
    case Payload::SystemEvent:
      return event.payload_as_SystemEvent()->fact_as_FilesExpired() != nullptr;
    case Payload::NONE:
    case Payload::FlowEvent:
    case Payload::ToolEvent:
    case Payload::LearningEvent:
    case Payload::DeviceEvent:
    case Payload::ScheduleEvent:
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
