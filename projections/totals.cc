#include "projections/totals.h"

#include <algorithm>

#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "engine/job/finding_limits.h"

namespace luzia {
namespace {

/// The counter for jobs in `state`; null: none.
std::uint64_t* counter(view::ProjectTotalsT& row, schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::none:
      return nullptr;
    case JobState::queued:
      return &row.queued;
    case JobState::starting:
    case JobState::running:
      return &row.running;
    case JobState::waiting:
      return &row.waiting;
    case JobState::parked:
      return &row.parked;
    case JobState::completed:
      return &row.completed;
    case JobState::failed:
      return &row.failed;
    case JobState::killed:
      return &row.killed;
    case JobState::timed_out:
      return &row.timed_out;
    case JobState::lost:
      return &row.lost;
    case JobState::skipped:
      return &row.skipped;
    case JobState::cancelled:
      return &row.cancelled;
  }
  return nullptr;
}

class TotalsReport : public OneView<JobReport, view::ProjectTotals, kTotalsView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    if (!step.job) return;
    view::ProjectTotalsT& row = rows_.edit(step.job->project);
    row.project = step.job->project;
    row.last_us = std::max(row.last_us, step.event.time_us());
    row.busy_us += step.ran_us.value_or(0);
    if (step.before != step.job->state) move_job(row, step.before, step.job->state);
    if (const auto* job = step.event.payload_as_JobEvent()) {
      if (begins_job(*job)) ++row.dispatched;
      if (const auto* imported = job->fact_as_JobImported()) row.output_bytes += imported->output_bytes();
      if (job->fact_as_JobRetried()) ++row.retries;
      if (job->fact_as_JobRemoved() && !step.was_removed) ++row.removed;
    } else if (const auto* output = step.event.payload_as_OutputEvent()) {
      count_output(row, *output);
    } else if (const auto* report = step.event.payload_as_ReportEvent()) {
      if (report->fact_as_WarningReported()) ++row.warnings;
    }
  }

 private:
  static void move_job(view::ProjectTotalsT& row, schema::JobState from, schema::JobState to) {
    if (std::uint64_t* left = counter(row, from)) --*left;
    if (std::uint64_t* entered = counter(row, to)) ++*entered;
  }
  static void count_output(view::ProjectTotalsT& row, const schema::OutputEvent& output) {
    if (const auto* appended = output.fact_as_OutputAppended()) {
      if (appended->to() > appended->from()) row.output_bytes += appended->to() - appended->from();
      if (appended->omitted()) row.warnings += omitted_of(*appended, "warning");
    } else if (const auto* annotation = output.fact_as_AnnotationFound()) {
      if (annotation->severity() == schema::Severity::warning) ++row.warnings;
    }
  }
};

}  // namespace

std::unique_ptr<JobReport> make_totals_report(const ViewReaderSource& rows) {
  return std::make_unique<TotalsReport>(rows);
}

}  // namespace luzia
