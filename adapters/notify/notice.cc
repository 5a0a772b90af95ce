#include "adapters/notify/notice.h"

#include "engine/flow/flow.h"
#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

constexpr std::size_t kTextBytes = 1000;

schema::Severity severity_of(HookOn on) {
  switch (on) {
    case HookOn::job_failed:
    case HookOn::job_timed_out:
    case HookOn::job_lost:
    case HookOn::question_timed_out:
    case HookOn::breaker_opened:
      return schema::Severity::error;
    case HookOn::job_killed:
    case HookOn::job_skipped:
    case HookOn::job_cancelled:
    case HookOn::job_parked:
    case HookOn::question_asked:
    case HookOn::question_reminded:
    case HookOn::approval_requested:
    case HookOn::approval_reminded:
    case HookOn::flow_gate_reached:
    case HookOn::alert_raised:
    case HookOn::device_paired:
    case HookOn::warning:
    case HookOn::system_alert:
      return schema::Severity::warning;
    case HookOn::job_queued:
    case HookOn::job_started:
    case HookOn::job_completed:
    case HookOn::job_ended:
    case HookOn::job_retried:
    case HookOn::question_answered:
    case HookOn::approval_decided:
    case HookOn::flow_gate_decided:
    case HookOn::flow_ended:
    case HookOn::alert_ended:
    case HookOn::queue_paused:
    case HookOn::queue_resumed:
    case HookOn::breaker_closed:
    case HookOn::daemon_started:
    case HookOn::digest:
      return schema::Severity::info;
  }
  return schema::Severity::info;
}

schema::Severity severity_in(const schema::Event& event, HookOn on) {
  const auto* alert = event.payload_as_AlertEvent();
  if (const auto* raised = alert != nullptr ? alert->fact_as_AlertRaised() : nullptr)
    return raised->severity();
  const auto* report = event.payload_as_ReportEvent();
  const auto* reported = report != nullptr ? report->fact_as_SystemAlertReported() : nullptr;
  return reported != nullptr ? reported->severity() : severity_of(on);
}

/// Environment values end at a NUL, and readers do not expect line breaks in them.
void set(Notice& notice, const char* name, std::string_view value) {
  notice.variables.push_back(std::string(name) + "=" + make_harmless(std::string(value)));
}

const schema::JobEnded* end_in(const schema::Event& event) {
  const auto* fact = event.payload_as_JobEvent();
  return fact != nullptr ? fact->fact_as_JobEnded() : nullptr;
}

/// Adds what failed first. The row may show a later attempt by now.
void set_failure(Notice& notice, const schema::Event& event, const view::JobT* job) {
  const schema::JobEnded* ended = end_in(event);
  if (ended == nullptr || job == nullptr || job->attempt != ended->attempt() || !job->failure) return;
  const std::string summary = make_harmless(job->failure->summary);
  notice.text += "\n" + summary;
  set(notice, "LUZIA_FAILURE", summary);
}

void set_end(Notice& notice, const schema::Event& event, const view::JobT* job) {
  const schema::JobEnded* ended = end_in(event);
  if (ended == nullptr) {
    if (job != nullptr) set(notice, "LUZIA_STATE", state_name(job->state));
    return;
  }
  set(notice, "LUZIA_STATE", state_name(state_after(*ended)));
  set(notice, "LUZIA_REASON", end_reason_name(ended->reason()));
  set(notice, "LUZIA_ATTEMPT", std::to_string(ended->attempt()));
  // The row may show a later attempt by now.
  const bool same = job != nullptr && job->attempt == ended->attempt();
  if (same && job->exit_code) set(notice, "LUZIA_EXIT_CODE", std::to_string(*job->exit_code));
  if (same && job->signal != 0) set(notice, "LUZIA_SIGNAL", std::to_string(job->signal));
}

/// Adds what a person needs to answer from where the notice arrives. Answers themselves are not included.
void set_input(Notice& notice, const NoticeInput& input) {
  const auto add = [&notice](const std::string& text) {
    if (!text.empty()) notice.text += "\n" + text;
  };
  if (input.question) {
    const std::string bytes = row_bytes(*input.question);
    const auto& question = *flatbuffers::GetRoot<view::Question>(bytes.data());
    set(notice, "LUZIA_QUESTION_ID", text(question.id()));
    set(notice, "LUZIA_QUESTION", text(question.question()));
    set(notice, "LUZIA_OPTIONS", options_text(question));
    if (question.state() != view::QuestionState::open) return;
    notice.request = NoticeRequest{input.question->id, false, {}};
    if (question.type() == schema::QuestionType::choice) notice.request->answers = input.question->options;
    if (question.type() == schema::QuestionType::confirm) notice.request->answers = {"yes", "no"};
    add(make_harmless(std::string(text(question.question()).substr(0, kTextBytes))));
    add(make_harmless(options_text(question)));
    add(answer_command(question));
  } else if (input.approval) {
    const std::string bytes = row_bytes(*input.approval);
    const auto& approval = *flatbuffers::GetRoot<view::Approval>(bytes.data());
    set(notice, "LUZIA_APPROVAL_ID", text(approval.id()));
    set(notice, "LUZIA_GATE", text(approval.gate()));
    set(notice, "LUZIA_DESCRIPTION", text(approval.description()));
    if (approval.state() != view::QuestionState::open) return;
    notice.request = NoticeRequest{input.approval->id, true, {}};
    add(make_harmless(std::string(text(approval.description()).substr(0, kTextBytes))));
    add(approve_command(approval));
    add(deny_command(approval));
  }
}

}  // namespace

Notice make_notice(const schema::Event& event, HookOn on, const view::JobT* job, const NoticeInput& input,
                   const std::string& hook) {
  Notice notice;
  notice.position = event.position();
  notice.site = text(event.site());
  notice.event = hook_event_name(on);
  notice.job = job_of_stream(text(event.stream()));
  const std::string flow(flow_of_stream(text(event.stream())));
  notice.project = job != nullptr           ? job->project
                   : !input.project.empty() ? input.project
                                            : hook_event(event).project;
  notice.callback = hook_event(event).callback;
  notice.json = event_json(event);
  notice.text = notice.project.empty() ? "" : notice.project + ": ";
  if (!notice.job.empty()) notice.text += "job " + notice.job + ": ";
  if (!flow.empty()) notice.text += "flow " + flow + ": ";
  notice.text = make_harmless((notice.text + event_text(event)).substr(0, kTextBytes));
  notice.severity = severity_in(event, on);
  set(notice, "LUZIA_HOOK", hook);
  set(notice, "LUZIA_EVENT", notice.event);
  set(notice, "LUZIA_EVENT_TYPE", event_type(event));
  set(notice, "LUZIA_POSITION", std::to_string(notice.position));
  set(notice, "LUZIA_EVENT_ID", notice.id());
  set(notice, "LUZIA_TIME", format_rfc3339(event.time_us()));
  set_input(notice, input);
  set_failure(notice, event, job);
  set(notice, "LUZIA_TEXT", notice.text);
  if (!notice.job.empty()) set(notice, "LUZIA_JOB_ID", notice.job);
  if (!flow.empty()) set(notice, "LUZIA_FLOW_ID", flow);
  if (!notice.project.empty()) set(notice, "LUZIA_PROJECT", notice.project);
  if (job != nullptr) set(notice, "LUZIA_JOB_DIR", job->dir);
  set_end(notice, event, job);
  return notice;
}

}  // namespace luzia
