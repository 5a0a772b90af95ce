// Converts publications to the schema's reports.
#include "tools/publisher/sender.h"

namespace luzia {
namespace {

schema::Verdict verdict_of(publication::Verdict verdict) {
  switch (verdict) {
    case publication::Verdict::none:
      break;
    case publication::Verdict::approved:
      return schema::Verdict::APPROVED;
    case publication::Verdict::needs_work:
      return schema::Verdict::NEEDS_WORK;
    case publication::Verdict::rejected:
      return schema::Verdict::REJECTED;
  }
  return schema::Verdict::none;
}

schema::TaskStartedT fact_of(const publication::TaskStarted& from) {
  schema::TaskStartedT fact;
  fact.task_id = from.task_id;
  fact.project = from.project;
  fact.description = from.description;
  fact.estimated_duration_seconds = from.estimated_duration_seconds;
  return fact;
}

schema::ProgressReportedT fact_of(const publication::Progress& from) {
  schema::ProgressReportedT fact;
  if (from.progress_percent) fact.progress_percent = *from.progress_percent;
  fact.current_step = from.current_step;
  fact.total_steps = from.total_steps;
  fact.current_step_name = from.current_step_name;
  fact.elapsed_seconds = from.elapsed_seconds;
  if (from.estimated_remaining_seconds) fact.estimated_remaining_seconds = *from.estimated_remaining_seconds;
  return fact;
}

schema::TaskCompletedT fact_of(const publication::TaskCompleted& from) {
  schema::TaskCompletedT fact;
  fact.elapsed_seconds = from.elapsed_seconds;
  fact.findings_count = from.findings_count;
  fact.recommendations_count = from.recommendations_count;
  fact.status = verdict_of(from.status);
  return fact;
}

schema::TaskQueuedT fact_of(const publication::TaskQueued& from) {
  schema::TaskQueuedT fact;
  fact.project = from.project;
  fact.description = from.description;
  fact.reason = from.reason;
  fact.queue_position = from.queue_position;
  fact.queue_ahead = from.queue_ahead;
  fact.estimated_wait_seconds = from.estimated_wait_seconds;
  return fact;
}

schema::WarningReportedT fact_of(const publication::Warning& from) {
  schema::WarningReportedT fact;
  fact.warning_type = from.warning_type;
  fact.message = from.message;
  fact.current_step = from.current_step;
  fact.total_steps = from.total_steps;
  fact.current_step_name = from.current_step_name;
  fact.elapsed_seconds = from.elapsed_seconds;
  fact.progress_percent = from.progress_percent;
  fact.recommendation = from.recommendation;
  return fact;
}

schema::TaskFailedT fact_of(const publication::TaskFailed& from) {
  schema::TaskFailedT fact;
  fact.error = from.error;
  fact.elapsed_seconds = from.elapsed_seconds;
  fact.retry_count = from.retry_count;
  fact.retriable = from.retriable;
  return fact;
}

schema::SystemAlertReportedT fact_of(const publication::SystemAlert& from) {
  schema::SystemAlertReportedT fact;
  fact.alert_type = from.alert_type;
  fact.message = from.message;
  fact.recommendation = from.recommendation;
  fact.severity = from.severity == publication::Severity::critical ? schema::Severity::critical
                                                                   : schema::Severity::warning;
  return fact;
}

struct TextBytes {
  std::size_t operator()(const publication::TaskStarted& p) const {
    return p.task_id.size() + p.project.size() + p.description.size();
  }
  std::size_t operator()(const publication::Progress& p) const { return p.current_step_name.size(); }
  std::size_t operator()(const publication::TaskCompleted&) const { return 0; }
  std::size_t operator()(const publication::TaskQueued& p) const {
    std::size_t bytes = p.project.size() + p.description.size() + p.reason.size();
    for (const std::string& id : p.queue_ahead) bytes += id.size();
    return bytes;
  }
  std::size_t operator()(const publication::Warning& p) const {
    return p.warning_type.size() + p.message.size() + p.current_step_name.size() + p.recommendation.size();
  }
  std::size_t operator()(const publication::TaskFailed& p) const { return p.error.size(); }
  std::size_t operator()(const publication::SystemAlert& p) const {
    return p.alert_type.size() + p.message.size() + p.recommendation.size();
  }
};

}  // namespace

schema::ReportFactUnion report_of(const Publication& publication) {
  schema::ReportFactUnion report;
  std::visit([&report](const auto& kind) { report.Set(fact_of(kind)); }, publication);
  return report;
}

std::size_t text_bytes(const Publication& publication) {
  return std::visit(TextBytes{}, publication);
}

}  // namespace luzia
