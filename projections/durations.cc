#include "projections/durations.h"

#include <algorithm>

#include "engine/event/event.h"
#include "projections/rows/buckets.h"

namespace luzia {
namespace {

class DurationsReport : public OneView<JobReport, view::Durations, kDurationsView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    if (!step.job) return;
    if (step.waited) count("human_wait", *step.job, *step.waited);
    if (step.ran_us) count("run", *step.job, static_cast<TimeUs>(*step.ran_us));
    const auto* job = step.event.payload_as_JobEvent();
    if (!job) return;
    if (const auto* started = job->fact_as_AttemptStarted(); started && started->attempt() == 1) {
      count("queue_wait", *step.job, step.event.time_us() - step.job->queued_us);
    }
  }

 private:
  void count(std::string_view measure, const view::JobT& job, TimeUs duration) {
    const auto ms = static_cast<std::uint64_t>(std::max<TimeUs>(0, duration) / kMillisecondUs);
    view::DurationsT& row = rows_.edit(joined_key({measure, job.project, job.agent}));
    if (row.count == 0) {
      row.measure = measure;
      row.project = job.project;
      row.agent = job.agent;
      row.min_ms = ms;
    }
    ++row.count;
    row.sum_ms += ms;
    row.min_ms = std::min(row.min_ms, ms);
    row.max_ms = std::max(row.max_ms, ms);
    const std::size_t bucket = bucket_of(ms);
    if (row.buckets.size() <= bucket) row.buckets.resize(bucket + 1);
    ++row.buckets[bucket];
  }
};

}  // namespace

std::optional<view::DurationsT> find_durations(const ViewReader& rows, std::string_view measure,
                                               std::string_view project, std::string_view agent) {
  const auto row = read_row<view::Durations>(rows, kDurationsView, joined_key({measure, project, agent}));
  return row ? std::optional(row->native()) : std::nullopt;
}

std::unique_ptr<JobReport> make_durations_report(const ViewReaderSource& rows) {
  return std::make_unique<DurationsReport>(rows);
}

}  // namespace luzia
