#include "tools/luzia-fleet/touched.h"

#include <algorithm>

#include "engine/base/ids.h"
#include "engine/event/take_fact.h"
#include "engine/flow/flow.h"
#include "engine/learning/learning.h"

namespace luzia {
namespace {

/// Whether a step of a flow that shows the job's last words may show others now.
bool may_change_words(const schema::ReportEvent& report) {
  switch (report.fact_type()) {
    case schema::ReportFact::AgentConcluded:
      return true;
    case schema::ReportFact::NONE:
    case schema::ReportFact::TaskStarted:
    case schema::ReportFact::ProgressReported:
    case schema::ReportFact::TaskCompleted:
    case schema::ReportFact::TaskQueued:
    case schema::ReportFact::WarningReported:
    case schema::ReportFact::TaskFailed:
    case schema::ReportFact::SystemAlertReported:
    case schema::ReportFact::SessionIdentified:
    case schema::ReportFact::TodoReported:
    case schema::ReportFact::AgentRetried:
    case schema::ReportFact::AgentErrorReported:
      break;
  }
  return false;
}

}  // namespace

std::uint32_t day_number(TimeUs time) {
  return static_cast<std::uint32_t>(std::max<TimeUs>(0, time) / kDayUs);
}

void Touched::add(const schema::Event& event) {
  last_us_ = event.time_us();
  const std::string_view stream = text(event.stream());
  if (const std::string_view job = job_of_stream(stream); is_job_id(job)) {
    add_of_job(jobs_[std::string(job)], event);
    const auto* lifecycle = event.payload_as_JobEvent();
    const bool retried = lifecycle != nullptr && lifecycle->fact_as_JobRetried() != nullptr;
    if (retried) retries_.emplace(event.position(), job);
  } else if (const std::string_view flow = flow_of_stream(stream); !flow.empty()) {
    flows_.emplace(flow);
  }
  if (const auto* learning = event.payload_as_LearningEvent()) add_learning(*learning, stream);
}

/// Rows of jobs change with most events of their streams. Queue, alerts, devices, schedules and the daemon's
/// own events are in no table.
void Touched::add_of_job(TouchedJob& job, const schema::Event& event) {
  const TimeUs time = event.time_us();
  const auto only_its_row = [](const auto&) {};
  take_fact(
      event, [&](const schema::JobEvent& fact) { add_lifecycle(job, fact, time); },
      [&](const schema::ReportEvent& fact) { job.spoke |= may_change_words(fact); },
      [&](const schema::QuestionEvent&) { job.questions = true; },
      [&](const schema::ApprovalEvent&) { job.approvals = true; },
      [&](const schema::IssueEvent&) {
        job.issues = true;
        issue_days_.insert(day_number(time));
      },
      [&](const schema::ToolEvent& fact) {
        job.returned |= fact.fact_as_ToolReturned() != nullptr || fact.fact_as_ToolDenied() != nullptr;
        tool_days_.insert(day_number(time));
      },
      [&](const schema::UsageEvent&) { cost_days_.insert(day_number(time)); },
      [&](const schema::OutputEvent& fact) { only_its_row(fact); },
      [&](const schema::WorkspaceEvent& fact) { only_its_row(fact); },
      [&](const schema::SystemEvent& fact) { only_its_row(fact); },  // files that expired, texts of a purge
      [&](const schema::FlowEvent& fact) { only_its_row(fact); },
      [&](const schema::LearningEvent& fact) { only_its_row(fact); },
      [&](const schema::AlertEvent& fact) { only_its_row(fact); },
      [&](const schema::QueueEvent& fact) { only_its_row(fact); },
      [&](const schema::DeviceEvent& fact) { only_its_row(fact); },
      [&](const schema::ScheduleEvent& fact) { only_its_row(fact); });
}

void Touched::add_lifecycle(TouchedJob& job, const schema::JobEvent& event, TimeUs time) {
  switch (event.fact_type()) {
    case schema::JobFact::JobImported:
    case schema::JobFact::AttemptStarting:
    case schema::JobFact::AttemptEnded:
    case schema::JobFact::JobRetried:
    case schema::JobFact::JobUnparked:
    case schema::JobFact::JobRerouted:
      job.spoke = true;
      break;
    case schema::JobFact::JobEnded:
      job.spoke = true;
      // An attempt after the first that completes fixes the issues that it does not show.
      if (event.fact_as_JobEnded()->state() != schema::JobState::completed) break;
      if (event.fact_as_JobEnded()->attempt() <= 1) break;
      job.issues = true;
      issue_days_.insert(day_number(time));
      break;
    case schema::JobFact::JobRemoved:
      job.spoke = job.questions = job.approvals = job.issues = true;
      break;
    case schema::JobFact::DeadlinesShifted:
      job.questions = job.approvals = true;
      break;
    case schema::JobFact::NONE:
    case schema::JobFact::JobQueued:
    case schema::JobFact::JobTracked:
    case schema::JobFact::AttemptStarted:
    case schema::JobFact::StopRequested:
    case schema::JobFact::StopForced:
    case schema::JobFact::RunnerGone:
    case schema::JobFact::JobHeld:
    case schema::JobFact::JobReleased:
    case schema::JobFact::JobPaused:
    case schema::JobFact::JobResumed:
    case schema::JobFact::JobReprioritized:
    case schema::JobFact::JobParked:
    case schema::JobFact::JobWaiting:
    case schema::JobFact::JobContinued:
    case schema::JobFact::ExitRecordLate:
    case schema::JobFact::DependencyEnded:
    case schema::JobFact::JobRescheduled:
    case schema::JobFact::PromptBuilt:
    case schema::JobFact::AttemptLimited:
    case schema::JobFact::JobTold:
    case schema::JobFact::JobToldRead:
    case schema::JobFact::HostsContacted:
      break;
  }
}

void Touched::add_learning(const schema::LearningEvent& event, std::string_view stream) {
  switch (event.fact_type()) {
    case schema::LearningFact::SolutionRecorded:
    case schema::LearningFact::SolutionTried:
    case schema::LearningFact::SolutionPruned:
      if (const auto id = solution_of_stream(stream); !id.empty()) solutions_.emplace(id);
      break;
    case schema::LearningFact::FactStored:
      subjects_.emplace(text(event.fact_as_FactStored()->subject()));
      break;
    case schema::LearningFact::FactForgotten:
      subjects_.emplace(text(event.fact_as_FactForgotten()->subject()));
      break;
    case schema::LearningFact::NONE:
    case schema::LearningFact::TodoAdded:
    case schema::LearningFact::TodoTaken:
    case schema::LearningFact::TodoReleased:
    case schema::LearningFact::TodoDone:
      break;
  }
}

bool Touched::empty() const {
  return jobs_.empty() && flows_.empty() && solutions_.empty() && subjects_.empty();
}

}  // namespace luzia
