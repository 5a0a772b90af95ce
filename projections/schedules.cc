#include "projections/schedules.h"

#include <algorithm>

#include "engine/event/event.h"
#include "engine/event/job_state.h"

namespace luzia {
namespace {

class SchedulesProjection : public OneView<Projection, view::Schedule, kSchedulesView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    if (event.payload_as_ScheduleEvent() == nullptr) return;
    const std::string_view name = schedule_of_stream(text(event.stream()));
    if (!name.empty()) evolve(rows_.edit(name), event);
  }
};

class ScheduleResultsReport : public OneView<JobReport, view::ScheduleResults, kScheduleResultsView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    if (step.job == nullptr || step.job->schedule.empty()) return;
    const bool ends = is_terminal(step.job->state);
    const view::TokensT& tokens = step.used.tokens;
    const bool used = step.used.cost_usd > 0 || tokens.input != 0 || tokens.output != 0 ||
                      tokens.cache_read != 0 || tokens.cache_write != 0;
    if (!step.outcome_before && !ends && !used) return;
    view::ScheduleResultsT& row = rows_.edit(step.job->schedule);
    if (step.outcome_before) {
      std::uint64_t& counter = counter_of(row, step.outcome_before->state);
      counter -= std::min<std::uint64_t>(counter, 1);
    }
    if (ends) ++counter_of(row, step.job->state);
    row.cost_usd += step.used.cost_usd;
    for (const std::uint64_t more : {tokens.input, tokens.output, tokens.cache_read, tokens.cache_write}) {
      row.tokens = add_bounded(row.tokens, more);
    }
  }

 private:
  static std::uint64_t& counter_of(view::ScheduleResultsT& row, schema::JobState state) {
    return state == schema::JobState::completed ? row.completed : row.failed;
  }
};

}  // namespace

std::unique_ptr<Projection> make_schedules_projection(ViewReaderSource rows) {
  return std::make_unique<SchedulesProjection>(std::move(rows));
}

std::unique_ptr<JobReport> make_schedule_results_report(const ViewReaderSource& rows) {
  return std::make_unique<ScheduleResultsReport>(rows);
}

void visit_schedules(const ViewReader& rows, const std::function<void(Schedule)>& visit) {
  for (Schedule& schedule : all_rows<view::Schedule>(rows, kSchedulesView)) visit(std::move(schedule));
}

std::optional<Schedule> find_schedule(const ViewReader& rows, std::string_view name) {
  const auto row = read_row<view::Schedule>(rows, kSchedulesView, name);
  return row ? std::optional<Schedule>(row->native()) : std::nullopt;
}

void join_results(Schedule& schedule, const ViewReader& rows) {
  const auto row = read_row<view::ScheduleResults>(rows, kScheduleResultsView, schedule.schedule);
  schedule.results = std::make_unique<view::ScheduleResultsT>(row ? row->native() : view::ScheduleResultsT());
}

void join_last_job(Schedule& schedule, const ViewReader& rows,
                   const std::function<bool(std::string_view project)>& may_see) {
  const auto job =
      schedule.last_job.empty() ? std::nullopt : read_row<view::Job>(rows, kJobsView, schedule.last_job);
  if (!job || (may_see && !may_see(text((*job)->project())))) return;
  schedule.agent = text((*job)->agent());
  schedule.last_state = (*job)->state();
}

}  // namespace luzia
