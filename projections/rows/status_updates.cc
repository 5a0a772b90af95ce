#include "projections/rows/status_updates.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "projections/rows/event_text.h"

namespace luzia {
namespace {

bool is_start(const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  const auto* report = event.payload_as_ReportEvent();
  return (job != nullptr &&
          (job->fact_as_AttemptStarting() != nullptr || job->fact_as_AttemptStarted() != nullptr)) ||
         (report != nullptr && report->fact_as_TaskStarted() != nullptr);
}

/// Whether to show the event even if verbosity is quiet.
bool is_urgent(const schema::Event& event) {
  if (const auto* job = event.payload_as_JobEvent()) return job->fact_as_JobEnded() != nullptr;
  if (const auto* question = event.payload_as_QuestionEvent())
    return question->fact_as_QuestionAsked() != nullptr;
  if (const auto* approval = event.payload_as_ApprovalEvent()) {
    return approval->fact_as_ApprovalRequested() != nullptr;
  }
  if (const auto* report = event.payload_as_ReportEvent()) {
    return report->fact_as_WarningReported() != nullptr || report->fact_as_TaskFailed() != nullptr ||
           report->fact_as_SystemAlertReported() != nullptr;
  }
  const bool told = event.payload_type() == schema::Payload::OutputEvent ||
                    event.payload_type() == schema::Payload::IssueEvent ||
                    event.payload_type() == schema::Payload::AlertEvent;
  return told && explains_state(event);
}

/// Percent of a report that names only steps, too; of a list of todos, those that are done.
std::optional<double> percent_of(const schema::ProgressReported& progress) {
  if (const auto percent = progress.progress_percent()) return *percent;
  if (progress.total_steps() == 0) return std::nullopt;
  return 100.0 * progress.current_step() / progress.total_steps();
}

std::optional<double> percent_of(const schema::TodoReported& list) {
  if (!list.whole() || list.items() == nullptr || list.items()->size() == 0) return std::nullopt;
  const auto done = std::ranges::count_if(
      *list.items(), [](const auto* item) { return item->status() == schema::TodoStatus::completed; });
  return 100.0 * static_cast<double>(done) / list.items()->size();
}

bool is_bookkeeping(const schema::Event& event) {
  const auto* output = event.payload_as_OutputEvent();
  return output != nullptr && output->fact_as_OutputAppended() != nullptr;
}

}  // namespace

bool UpdateFilter::takes_progress(const schema::Event& event, std::optional<double> percent) {
  using Verbosity = UpdateSettings::Verbosity;
  if (!settings_.progress || settings_.verbosity == Verbosity::quiet) return false;
  if (!percent) return settings_.verbosity == Verbosity::verbose;
  const int done = static_cast<int>(std::clamp(*percent, 0.0, 100.0));
  // 100 % is always a step of its own.
  const int step =
      done == 100 ? std::numeric_limits<int>::max() : done / std::max(1, settings_.threshold_percent);
  int& told = steps_.try_emplace(std::string(text(event.stream())), 0).first->second;
  return std::exchange(told, step) != step;
}

bool UpdateFilter::takes(const schema::Event& event) {
  using Verbosity = UpdateSettings::Verbosity;
  const auto* report = event.payload_as_ReportEvent();
  if (const auto* progress = report == nullptr ? nullptr : report->fact_as_ProgressReported()) {
    return takes_progress(event, percent_of(*progress));
  }
  if (const auto* list = report == nullptr ? nullptr : report->fact_as_TodoReported()) {
    return takes_progress(event, percent_of(*list));
  }
  // A daemon's filter lives long; a retry starts over.
  const auto* job = event.payload_as_JobEvent();
  if (job != nullptr && job->fact_as_JobEnded() != nullptr) {
    if (const auto ended = steps_.find(text(event.stream())); ended != steps_.end()) steps_.erase(ended);
  }
  if (is_start(event) && !settings_.task_started) return false;
  switch (settings_.verbosity) {
    case Verbosity::quiet:
      return is_urgent(event);
    case Verbosity::normal:
      return explains_state(event) || is_start(event);
    case Verbosity::verbose:
      return !is_bookkeeping(event);
  }
  return true;
}

}  // namespace luzia
