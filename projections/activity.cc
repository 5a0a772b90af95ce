#include "projections/activity.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "engine/event/event.h"
#include "engine/event/job_state.h"

namespace luzia {
namespace {

using schema::Severity;

/// Row with the last sequence number (in `position`). Sorts after all other rows.
constexpr std::string_view kSequenceKey = "\xff\xff\xff\xff last";

std::string place_key(std::uint64_t place) {
  return big_endian_32(static_cast<std::uint32_t>(place));
}

std::uint64_t last_sequence(const ViewReader& rows) {
  const auto row = read_row<view::Activity>(rows, kActivityView, kSequenceKey);
  return row ? (*row)->position() : 0;
}

/// Of the many warnings of a job, only the first ten, the hundredth, the thousandth, ... are worth showing.
bool worth_noting(std::uint32_t count) {
  if (count <= 10) return true;
  while (count % 10 == 0) count /= 10;
  return count == 1;
}

Severity severity_of_end(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::failed:
    case JobState::timed_out:
    case JobState::lost:
      return Severity::error;
    case JobState::killed:
    case JobState::skipped:
    case JobState::cancelled:
      return Severity::warning;
    case JobState::none:
    case JobState::queued:
    case JobState::starting:
    case JobState::running:
    case JobState::waiting:
    case JobState::parked:
    case JobState::completed:
      return Severity::info;
  }
  return Severity::info;
}

bool has_refused(const schema::HostsContacted& fact) {
  if (fact.total() || fact.hosts() == nullptr) return false;
  return std::ranges::any_of(*fact.hosts(), [](const schema::HostUse* use) {
    return use->verdict() != schema::HostVerdict::allowed;
  });
}

std::optional<Severity> of_job_fact(const schema::JobEvent& job, const view::JobT& row) {
  using schema::JobFact;
  switch (job.fact_type()) {
    case JobFact::JobQueued:
    case JobFact::JobTracked:
    case JobFact::AttemptStarted:
    case JobFact::JobRetried:
    case JobFact::JobParked:
    case JobFact::JobUnparked:
    case JobFact::JobRerouted:
    case JobFact::JobTold:
    case JobFact::JobToldRead:
      return Severity::info;
    case JobFact::StopForced:
    case JobFact::RunnerGone:
    case JobFact::ExitRecordLate:
      return Severity::warning;
    case JobFact::HostsContacted:
      return has_refused(*job.fact_as_HostsContacted()) ? std::optional(Severity::warning) : std::nullopt;
    case JobFact::JobWaiting:
      // A question has its own row. An approval has none, because a policy may decide it at once.
      return row.approvals_open > 0 ? std::optional(Severity::warning) : std::nullopt;
    case JobFact::JobEnded:
      return severity_of_end(state_after(*job.fact_as_JobEnded()));
    case JobFact::NONE:
    case JobFact::AttemptStarting:
    case JobFact::StopRequested:
    case JobFact::AttemptEnded:
    case JobFact::AttemptLimited:
    case JobFact::JobHeld:
    case JobFact::JobReleased:
    case JobFact::JobPaused:
    case JobFact::JobResumed:
    case JobFact::JobReprioritized:
    case JobFact::JobRescheduled:
    case JobFact::JobImported:
    case JobFact::PromptBuilt:
    case JobFact::JobRemoved:
    case JobFact::JobContinued:
    case JobFact::DependencyEnded:
    case JobFact::DeadlinesShifted:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Severity> of_output_fact(const schema::OutputEvent& output, const view::JobT& job) {
  if (output.fact_as_OutputRestarted()) return Severity::warning;
  const auto* annotation = output.fact_as_AnnotationFound();
  if (!annotation || annotation->severity() < Severity::warning) return std::nullopt;
  const bool error = annotation->severity() >= Severity::error;
  return worth_noting(error ? job.errors : job.warnings) ? std::optional(annotation->severity())
                                                         : std::nullopt;
}

/// A good outcome is shown by the end of the job.
std::optional<Severity> severity_of_outcome(schema::AgentOutcome outcome) {
  using schema::AgentOutcome;
  switch (outcome) {
    case AgentOutcome::none:
    case AgentOutcome::completed:
      return std::nullopt;
    case AgentOutcome::failed:
      return Severity::error;
    case AgentOutcome::usage_limit:
    case AgentOutcome::max_turns:
    case AgentOutcome::max_budget:
    case AgentOutcome::deferred:
    case AgentOutcome::interrupted:
    case AgentOutcome::stopped_after_denial:
      return Severity::warning;
  }
  return std::nullopt;
}

std::optional<Severity> of_report_fact(const schema::ReportEvent& report, const view::JobT& job) {
  using schema::ReportFact;
  switch (report.fact_type()) {
    case ReportFact::WarningReported:
      return worth_noting(job.warnings) ? std::optional(Severity::warning) : std::nullopt;
    case ReportFact::TaskFailed:
      return Severity::error;
    case ReportFact::TaskCompleted:
      return Severity::info;
    case ReportFact::SystemAlertReported:
      return report.fact_as_SystemAlertReported()->severity();
    case ReportFact::AgentErrorReported:
      return worth_noting(job.errors) ? std::optional(Severity::error) : std::nullopt;
    case ReportFact::AgentConcluded:
      return severity_of_outcome(report.fact_as_AgentConcluded()->outcome());
    case ReportFact::NONE:
    case ReportFact::TaskStarted:
    case ReportFact::ProgressReported:
    case ReportFact::TaskQueued:
    case ReportFact::SessionIdentified:
    case ReportFact::TodoReported:
    case ReportFact::AgentRetried:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Severity> of_question_fact(const schema::QuestionEvent& question) {
  if (question.fact_as_QuestionAsked() || question.fact_as_QuestionTimedOut()) return Severity::warning;
  const bool is_over = question.fact_as_QuestionAnswered() || question.fact_as_QuestionCancelled();
  return is_over ? std::optional(Severity::info) : std::nullopt;
}

/// A policy may decide every call of a tool: too many rows.
std::optional<Severity> of_approval_fact(const schema::ApprovalEvent& approval) {
  if (approval.fact_as_ApprovalCancelled()) return Severity::info;
  const auto* decided = approval.fact_as_ApprovalDecided();
  if (decided == nullptr) return std::nullopt;
  if (decided->decision() == schema::Decision::expired) return Severity::warning;
  return text(decided->policy()).empty() ? std::optional(Severity::info) : std::nullopt;
}

std::optional<Severity> of_workspace_fact(const schema::WorkspaceEvent& workspace) {
  if (workspace.fact_as_SnapshotFailed() || workspace.fact_as_FilesContended()) return Severity::warning;
  const bool is_news = workspace.fact_as_FilesRestored() || workspace.fact_as_WorktreeMade() ||
                       workspace.fact_as_WorktreeRemoved();
  return is_news ? std::optional(Severity::info) : std::nullopt;
}

/// The severity of the event; nullopt: it is not worth showing.
std::optional<Severity> severity_of(const JobStep& step) {
  const schema::Event& event = step.event;
  if (const auto* alert = event.payload_as_AlertEvent()) {
    if (const auto* raised = alert->fact_as_AlertRaised()) return raised->severity();
    return alert->fact_as_AlertEnded() ? std::optional(Severity::info) : std::nullopt;
  }
  if (const auto* device = event.payload_as_DeviceEvent()) {
    if (device->fact_as_DevicePaired()) return Severity::warning;
    return device->fact_as_DeviceRevoked() ? std::optional(Severity::info) : std::nullopt;
  }
  if (const auto* queue = event.payload_as_QueueEvent()) {
    return queue->fact_as_BreakerOpened() || queue->fact_as_AgentParked() ? Severity::warning
                                                                          : Severity::info;
  }
  if (!step.job) return std::nullopt;
  if (const auto* job = event.payload_as_JobEvent()) return of_job_fact(*job, *step.job);
  if (const auto* output = event.payload_as_OutputEvent()) return of_output_fact(*output, *step.job);
  if (const auto* report = event.payload_as_ReportEvent()) return of_report_fact(*report, *step.job);
  if (const auto* usage = event.payload_as_UsageEvent()) {
    if (usage->fact_as_LimitReached() || usage->fact_as_BudgetWarned()) return Severity::warning;
  }
  if (const auto* question = event.payload_as_QuestionEvent()) return of_question_fact(*question);
  if (const auto* approval = event.payload_as_ApprovalEvent()) return of_approval_fact(*approval);
  if (const auto* workspace = event.payload_as_WorkspaceEvent()) return of_workspace_fact(*workspace);
  return std::nullopt;
}

std::string_view project_of(const JobStep& step) {
  constexpr std::string_view kPrefix = "project/";
  if (step.job) return step.job->project;
  const std::string_view stream = text(step.event.stream());
  return stream.starts_with(kPrefix) ? stream.substr(kPrefix.size()) : std::string_view{};
}

class ActivityReport : public JobReport {
 public:
  explicit ActivityReport(ViewReaderSource rows) : rows_(std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kActivityView}; }

  void note(const JobStep& step) override {
    const auto severity = severity_of(step);
    if (!severity) return;
    if (fresh_.size() == kActivityRows) fresh_.pop_front();
    view::ActivityT& row = fresh_.emplace_back();
    row.position = step.event.position();
    row.time_us = step.event.time_us();
    if (step.job) row.job = step.job->id;
    row.project = project_of(step);
    row.type = event_type(step.event);
    row.severity = *severity;
    ++noted_;
  }

  void flush(RowBatch& batch) override {
    if (noted_ == 0) return;
    const std::uint64_t last = last_sequence(rows_()) + noted_;
    std::uint64_t sequence = last - fresh_.size();
    for (const view::ActivityT& row : fresh_) put(batch, place_key(++sequence % kActivityRows), row);
    view::ActivityT counter;
    counter.position = last;
    put(batch, kSequenceKey, counter);
    fresh_.clear();
    noted_ = 0;
  }

 private:
  void put(RowBatch& batch, std::string_view key, const view::ActivityT& row) {
    builder_.Clear();
    builder_.Finish(view::Activity::Pack(builder_, &row));
    add_row(batch, kActivityView, key, as_text({builder_.GetBufferPointer(), builder_.GetSize()}));
  }

  ViewReaderSource rows_;
  std::deque<view::ActivityT> fresh_;  // since the last flush; only those that will stay
  std::uint64_t noted_ = 0;            // number of rows since the last flush
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

std::unique_ptr<JobReport> make_activity_report(const ViewReaderSource& rows) {
  return std::make_unique<ActivityReport>(rows);
}

void visit_activity(const ViewReader& rows, std::uint64_t before_sequence,
                    const std::function<bool(std::uint64_t sequence, const view::Activity& row)>& visit) {
  const std::uint64_t last = last_sequence(rows);
  const std::uint64_t oldest = last >= kActivityRows ? last - kActivityRows + 1 : 1;
  std::uint64_t end = std::min(before_sequence, last + 1);
  bool more = true;
  // At most two scans: down to the first key, then from the last key on.
  while (more && end > oldest) {
    const std::uint64_t round = (end - 1) / kActivityRows * kActivityRows;
    const std::uint64_t begin = std::max(oldest, round);
    rows.scan_back(row_key(kActivityView, place_key(begin - round)),
                   row_key(kActivityView, place_key(end - round)),
                   [&](std::string_view key, std::string_view value) {
                     const StoredRow<view::Activity> row(value);
                     return more = visit(round + number_from_big_endian(key.substr(2)), *row);
                   });
    end = begin;
  }
}

}  // namespace luzia
