#include "projections/jobs.h"

#include <algorithm>

#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "projections/activity.h"
#include "projections/catalogue.h"
#include "projections/costs.h"
#include "projections/durations.h"
#include "projections/ends.h"
#include "projections/inputs.h"
#include "projections/issues.h"
#include "projections/outcomes.h"
#include "projections/schedules.h"
#include "projections/tool_advice.h"
#include "projections/tools.h"
#include "projections/totals.h"

namespace luzia {
namespace {

class Jobs : public Projection {
 public:
  explicit Jobs(ViewReaderSource rows) : reports_(reports_on(rows)), jobs_(kJobsView, std::move(rows)) {}

  std::vector<ProjectionInfo> views() const override {
    std::vector<ProjectionInfo> views = {kJobsView};
    for (const auto& report : reports_) {
      for (const ProjectionInfo& info : report->views()) views.push_back(info);
    }
    return views;
  }

  void fold(const schema::Event& event) override {
    JobStep step{event};
    const std::string_view id = job_of_stream(text(event.stream()));
    if (!id.empty()) {
      view::JobT* row = row_of(id, event);
      if (!row) return;
      step.before = row->state;
      step.was_removed = row->removed_us != 0;
      if (is_terminal(row->state)) step.outcome_before = job_outcome(*row);
      const TimeUs waits_since = row->waiting_since_us;
      step.used = fold_job_row(*row, event);
      step.job = row;
      if (waits_since != 0 && row->waiting_since_us == 0) {
        step.waited = std::max<TimeUs>(0, event.time_us() - waits_since);
      }
      step.ran_us = measured_run(*row, event);
    }
    for (const auto& report : reports_) report->note(step);
  }

  void flush(RowBatch& batch) override {
    jobs_.flush(batch);
    for (const auto& report : reports_) report->flush(batch);
  }

 private:
  using Reports = std::vector<std::unique_ptr<JobReport>>;

  static Reports reports_on(const ViewReaderSource& rows) {
    Reports reports;
    reports.push_back(make_activity_report(rows));
    reports.push_back(make_totals_report(rows));
    reports.push_back(make_durations_report(rows));
    reports.push_back(make_issues_report(rows));
    reports.push_back(make_tools_report(rows));
    reports.push_back(make_costs_report(rows));
    reports.push_back(make_inputs_report(rows));
    reports.push_back(make_catalogue_report(rows));
    reports.push_back(make_tool_advice_report(rows));
    reports.push_back(make_outcomes_report(rows));
    reports.push_back(make_ends_report(rows));
    reports.push_back(make_schedule_results_report(rows));
    return reports;
  }

  /// An event without a row that begins no job comes from a newer program.
  view::JobT* row_of(std::string_view id, const schema::Event& event) {
    const auto* job = event.payload_as_JobEvent();
    if (!job || !begins_job(*job)) return jobs_.edit_existing(id);
    view::JobT& row = jobs_.add(id);
    row.id = id;
    return &row;
  }

  Reports reports_;
  RowTable<view::Job> jobs_;
};

}  // namespace

std::unique_ptr<Projection> make_jobs_projection(ViewReaderSource rows) {
  return std::make_unique<Jobs>(std::move(rows));
}

std::optional<view::JobT> find_job_row(const ViewReader& rows, std::string_view id) {
  const auto row = read_row<view::Job>(rows, kJobsView, id);
  return row ? std::optional<view::JobT>(row->native()) : std::nullopt;
}

}  // namespace luzia
