// Report view jobs. Key: job id. Everything that `luzia jobs` prints about a job, live or ended. Other
// reports that follow from jobs (activity, totals, durations, outcomes, ...) build on the same fold of a
// job's events.
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

constexpr ProjectionInfo kJobsView{16, 20, "jobs", ViewKind::report, 10};

std::unique_ptr<Projection> make_jobs_projection(ViewReaderSource rows);

/// One event after the jobs view has folded it. `job`: the row of the event's job; null: the event has no
/// job. `before`: the job's state before the event.
struct JobStep {
  const schema::Event& event;
  view::JobT* job = nullptr;  // the issues report fills its `issues` and `failure`
  schema::JobState before = schema::JobState::none;
  UsageGrowth used = {};                          // growth of usage by the event
  std::optional<TimeUs> waited = {};              // length of the wait for a person that the event ended
  std::optional<std::uint64_t> ran_us = {};       // measured_run
  std::optional<JobOutcome> outcome_before = {};  // set if the job had ended before the event
  bool was_removed = false;                       // before the event
};

/// A view that needs to know what an event meant for its job. Like Projection, but runs after the jobs view.
class JobReport {
 public:
  virtual ~JobReport() = default;
  virtual std::vector<ProjectionInfo> views() const = 0;
  virtual void note(const JobStep& step) = 0;
  virtual void flush(RowBatch& batch) = 0;
};

/// The row of a job; nullopt: there is none. Any thread.
std::optional<view::JobT> find_job_row(const ViewReader& rows, std::string_view id);

/// The run time of the attempt that the event ended, as luzia-run measured it, without waits for people.
/// nullopt: the event ended no attempt, the attempt never ran, or nobody measured it. The result is the same
/// before and after fold_job_row. The row's `run_us` is the sum over all attempts; an attempt that nobody
/// measured counts from its start to its known end.
std::optional<std::uint64_t> measured_run(const view::JobT& row, const schema::Event& event);

/// Applies one event to the row of its job (except `issues` and `failure`): the pure core of the view.
/// Returns what the event adds to the job's usage.
UsageGrowth fold_job_row(view::JobT& row, const schema::Event& event);

}  // namespace luzia
