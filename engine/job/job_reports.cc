// decide: findings from output.log, and reports published about a job.
#include <algorithm>
#include <cmath>

#include "engine/job/decide_parts.h"
#include "engine/job/finding_limits.h"
#include "engine/job/input_events.h"
#include "engine/job/job_budget.h"
#include "engine/job/job_tracking.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxReportText = 16 * 1024;

tl::unexpected<Error> bad_field(const std::string& field, const std::string& why) {
  return fail(ErrorKind::usage, "bad_field", field + " " + why);
}

Status check_text(const std::string& field, const std::string& value) {
  if (value.size() <= kMaxReportText) return {};
  return bad_field(field, "is longer than 16 KiB");
}

Status check_seconds(const std::string& field, double value) {
  if (std::isfinite(value) && value >= 0) return {};
  return bad_field(field, "must be a number of seconds, 0 or more");
}

Status check_steps(std::uint32_t current, std::uint32_t total) {
  if (total == 0 || current <= total) return {};
  return bad_field("current_step",
                   "(" + std::to_string(current) + ") is beyond total_steps (" + std::to_string(total) + ")");
}

Status check_percent(double value) {
  if (value >= 0 && value <= 100) return {};
  return bad_field("progress_percent", "must be a number from 0 to 100");
}

/// The error of the first check that failed.
template <class... Checks>
Status first_failure(const Checks&... checks) {
  Status result;
  const auto take = [&result](const Status& check) {
    if (result && !check) result = check;
  };
  (take(checks), ...);
  return result;
}

}  // namespace

Status check_report(const schema::ReportFactUnion& report) {
  using schema::ReportFact;
  switch (report.type) {
    case ReportFact::NONE:
      return fail(ErrorKind::usage, "bad_report", "the report names no kind");
    case ReportFact::TaskStarted: {
      const auto& fact = *report.AsTaskStarted();
      return first_failure(check_text("description", fact.description),
                           check_seconds("estimated_duration_seconds", fact.estimated_duration_seconds));
    }
    case ReportFact::ProgressReported: {
      const auto& fact = *report.AsProgressReported();
      return first_failure(
          fact.progress_percent ? check_percent(*fact.progress_percent) : Status{},
          check_steps(fact.current_step, fact.total_steps),
          check_text("current_step_name", fact.current_step_name),
          check_seconds("elapsed_seconds", fact.elapsed_seconds),
          check_seconds("estimated_remaining_seconds", fact.estimated_remaining_seconds.value_or(0)));
    }
    case ReportFact::TaskCompleted:
      return check_seconds("elapsed_seconds", report.AsTaskCompleted()->elapsed_seconds);
    case ReportFact::TaskQueued: {
      const auto& fact = *report.AsTaskQueued();
      return first_failure(check_text("description", fact.description), check_text("reason", fact.reason),
                           check_seconds("estimated_wait_seconds", fact.estimated_wait_seconds));
    }
    case ReportFact::WarningReported: {
      const auto& fact = *report.AsWarningReported();
      if (fact.message.empty() && fact.warning_type.empty()) {
        return bad_field("message", "is empty: say what the warning is about");
      }
      return first_failure(
          check_text("message", fact.message), check_text("recommendation", fact.recommendation),
          check_steps(fact.current_step, fact.total_steps), check_percent(fact.progress_percent),
          check_seconds("elapsed_seconds", fact.elapsed_seconds));
    }
    case ReportFact::TaskFailed: {
      const auto& fact = *report.AsTaskFailed();
      return first_failure(check_text("error", fact.error),
                           check_seconds("elapsed_seconds", fact.elapsed_seconds));
    }
    case ReportFact::SystemAlertReported: {
      const auto& fact = *report.AsSystemAlertReported();
      return first_failure(check_text("message", fact.message),
                           check_text("recommendation", fact.recommendation));
    }
    case ReportFact::SessionIdentified:
    case ReportFact::TodoReported:
    case ReportFact::AgentRetried:
    case ReportFact::AgentErrorReported:
    case ReportFact::AgentConcluded:
      return fail(ErrorKind::usage, "bad_report", "this is read from the agent's output, not published");
  }
  return fail(ErrorKind::usage, "bad_report", "unknown kind of report");
}

Decided decide_command(const JobState& state, const RecordOutput& command, TimeUs /*now*/) {
  const std::uint64_t recorded = state.checkpoint ? state.checkpoint->scanned_to : 0;
  const std::uint32_t generation = state.checkpoint ? state.checkpoint->generation : 0;
  // Nobody runs attempts of a tracked job, but its log is read until it ends.
  const bool over = state.log.empty() ? state.attempt_over : is_terminal(state.state);
  const bool stale = is_stale(state, command.attempt) || over || command.from != recorded ||
                     command.from_generation != generation;
  if (stale) return Events{};
  Events events;
  if (command.restarted) events.push_back(job_event(state.job, schema::OutputRestartedT(*command.restarted)));
  const auto* about_silence = open_silence_question(state);
  const bool speaks = command.appended && command.appended->to > command.appended->from;
  if (about_silence != nullptr && speaks) {
    events.push_back(cancelled_input(state, *about_silence, "it prints again"));
  }
  Events findings;
  auto appended = command.appended;
  FindingCounts none;
  keep_findings(state, command, appended ? appended->omitted : none, findings);
  if (appended) events.push_back(job_event(state.job, std::move(*appended)));
  for (NewEvent& event : findings) events.push_back(std::move(event));
  for (NewEvent& event : budget_events(state, command)) events.push_back(std::move(event));
  return events;
}

Decided decide_command(const JobState& state, const PublishReport& command, TimeUs /*now*/) {
  if (is_terminal(state.state)) return refuse_ended(state, "publish about");
  if (command.attempt != 0 && command.attempt != state.attempt) {
    return fail(ErrorKind::refused, "stale_attempt",
                "attempt " + std::to_string(command.attempt) + " of job " + state.job + " is over: attempt " +
                    std::to_string(state.attempt) + " is the present one");
  }
  LUZIA_TRY(check_report(command.report));
  Events events = one(job_event(state.job, command.report));
  if (state.tracked) add_published_end(state, command, events);
  return events;
}

Decided decide_command(const JobState& state, const NotePrompt& command, TimeUs /*now*/) {
  if (is_stale(state, command.fact.attempt) || state.attempt_over) return Events{};
  return one(job_event(state.job, schema::PromptBuiltT(command.fact)));
}

}  // namespace luzia
