// Report view jobs, key: job id. Everything that `luzia jobs` prints of a job, live or ended, and the head of
// the reports that follow from jobs (activity, totals, durations, outcomes, ...): one fold of a job's events
// serves them all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/job/usage_sum.h"
#include "engine/view/projection.h"
#include "projections/job_outcome.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kJobsView{16, 13, "jobs", ViewKind::report, 10};

std::unique_ptr<Projection> make_jobs_projection(ViewReaderSource rows);

/// One event after the jobs view has folded it. `job`: the row of the event's job, null for an event of no
/// job; `before`: its state until now.
struct JobStep {
  const schema::Event& event;
  view::JobT* job = nullptr;  // `issues` of it is counted by the issues report, which can tell them apart
  schema::JobState before = schema::JobState::none;
  UsageGrowth used = {};                          // by the event
  std::optional<TimeUs> waited = {};              // for a person, where the event ended that
  std::optional<std::uint64_t> ran_us = {};       // measured_run
  std::optional<JobOutcome> outcome_before = {};  // of a job that had ended until now
};

/// A view that needs to know what an event meant for its job. Like Projection, but behind the jobs view.
class JobReport {
 public:
  virtual ~JobReport() = default;
  virtual const ProjectionInfo& info() const = 0;
  /// The views that it writes, if they are more than one.
  virtual std::vector<ProjectionInfo> views() const { return {info()}; }
  virtual void note(const JobStep& step) = 0;
  virtual void flush(RowBatch& batch) = 0;
};

/// The row of a job; nullopt when there is none. Any thread.
std::optional<view::JobT> find_job_row(const ViewReader& rows, std::string_view id);

/// The run time of the attempt that the event ended: as it was measured, without what the attempt waited for
/// people. Nothing when it ended none, never ran, or nobody measured it. The same before and after
/// fold_job_row. `run_us` of the row is the sum over all attempts; of one that nobody measured from its start
/// to what is known as its end.
std::optional<std::uint64_t> measured_run(const view::JobT& row, const schema::Event& event);

/// Applies one event to the row of its job (but for `issues`): the pure heart of the view. What the event
/// adds to the job's usage.
UsageGrowth fold_job_row(view::JobT& row, const schema::Event& event);

}  // namespace luzia
