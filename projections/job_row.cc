// fold_job_row: what each event changes in the row of its job. States follow luzia::evolve; a test checks
// both against the same history.
#include <algorithm>
#include <limits>

#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "engine/event/take_fact.h"
#include "engine/job/finding_limits.h"
#include "engine/job/job_ending.h"
#include "engine/job/usage_sum.h"
#include "projections/agent_row.h"
#include "projections/input_row.h"
#include "projections/jobs.h"
#include "projections/removed_jobs.h"
#include "projections/told_row.h"

namespace luzia {
namespace {

using State = schema::JobState;

/// Rows are for a quick look; the event has the whole text.
constexpr std::size_t kMaxMessageBytes = 400;

std::string bounded(std::string_view message) {
  return std::string(message.substr(0, kMaxMessageBytes));
}

void begin_waiting(view::JobT& row, TimeUs time) {
  if (row.waiting_since_us == 0) row.waiting_since_us = time;
}

void end_waiting(view::JobT& row, TimeUs time) {
  const TimeUs waited = row.waiting_since_us == 0 ? 0 : std::max<TimeUs>(0, time - row.waiting_since_us);
  const bool runs = row.started_us != 0 && row.ended_us == 0;
  row.human_wait_us += waited;
  if (runs) row.attempt_wait_us += waited;
  row.waiting_since_us = 0;
}

void end_pause(view::JobT& row, TimeUs time) {
  if (row.paused_since_us != 0) row.attempt_pause_us += std::max<TimeUs>(0, time - row.paused_since_us);
  row.paused_since_us = 0;
}

/// The same moments as in the decider's state.
void follow_pause(view::JobT& row, TimeUs time) {
  const bool stands_still = row.paused && row.pid != 0 && !row.stopping;
  if (!stands_still || row.waiting_since_us != 0) return end_pause(row, time);
  if (row.paused_since_us == 0) row.paused_since_us = time;
}

/// `time` without the attempt's waits for people and pauses until `end`.
std::uint64_t without_idling(const view::JobT& row, std::uint64_t time, TimeUs end) {
  const TimeUs since = std::max(row.waiting_since_us, row.paused_since_us);  // at most one of them is set
  const TimeUs present = since == 0 ? 0 : std::max<TimeUs>(0, end - since);
  const TimeUs idle = row.attempt_wait_us + row.attempt_pause_us + present;
  return time - std::min(time, static_cast<std::uint64_t>(idle));
}

/// Run time from the attempt's start to `end`, if nobody measured it.
std::uint64_t seen_run(const view::JobT& row, TimeUs end) {
  if (row.started_us == 0) return 0;
  return without_idling(row, static_cast<std::uint64_t>(std::max<TimeUs>(0, end - row.started_us)), end);
}

/// Clears what belongs to one attempt only.
void forget_attempt(view::JobT& row) {
  row.exit_code = flatbuffers::nullopt;
  row.verified = flatbuffers::nullopt;
  row.signal = 0;
  row.reason = schema::EndReason::exit_code;
  row.reason_detail.clear();
  row.retriable = false;
  row.started_us = row.ended_us = 0;
  row.pid = 0;
  row.progress.reset();
  row.reported.reset();
  row.output_bytes = row.output_lines = 0;
  row.warnings = row.errors = row.issues = 0;
  row.findings_omitted = 0;
  row.last_warning.clear();
  row.failure.reset();
  row.checks_from = 0;
  row.last_line.clear();
  row.verdict = schema::Verdict::none;
  row.findings_count = row.recommendations_count = 0;
  row.user_us = row.system_us = row.max_rss_kib = 0;
  row.attempt_wait_us = row.attempt_pause_us = row.paused_since_us = 0;
  row.paused = row.stopping = false;
  forget_agent_facts(row);
}

void take_spec(view::JobT& row, const schema::JobSpec* spec) {
  if (!spec) return;
  row.project = text(spec->project());
  row.agent = text(spec->agent());
  row.user = text(spec->user());
  row.dir = text(spec->job_dir());
  row.working_dir = text(spec->working_dir());
  row.flow = text(spec->flow());
  row.step = text(spec->step());
  row.parent_job = text(spec->parent_job());
  row.schedule = text(spec->schedule());
  row.estimate_ms = spec->estimate_ms();
  row.timeout_ms = spec->timeout_ms();
  row.limits.reset(spec->limits() ? spec->limits()->UnPack() : nullptr);
  row.tags = texts(spec->tags());
}

void take_prompt(view::JobT& row, const schema::BlobRef* prompt) {
  if (!prompt) return;
  row.prompt.reset(prompt->UnPack());
  row.prompt->hash.clear();  // the event has it; only the position is needed here
}

void queue_job(view::JobT& row, const schema::JobQueued& fact, const schema::Event& event) {
  take_spec(row, fact.spec());
  row.after = texts(fact.after());
  take_prompt(row, fact.prompt());
  row.priority = fact.priority();
  row.state = State::queued;
  row.queued_us = fact.enqueued_us() != 0 ? fact.enqueued_us() : event.time_us();
  row.enqueued_by = text(fact.enqueued_by());
  row.skill_match = text(fact.skill_match());
  row.not_before_us = fact.not_before_us();
  row.queued_position = event.position();
}

void import_job(view::JobT& row, const schema::JobImported& fact, const schema::Event& event) {
  take_spec(row, fact.spec());
  take_prompt(row, fact.prompt());
  row.state = fact.state();
  row.reason = fact.reason();
  row.exit_code = fact.exit_code();
  row.attempt = row.attempts = 1;
  row.queued_us = fact.queued_us();
  row.started_us = row.first_started_us = fact.started_us();
  row.run_us = measured_run(row, event).value_or(0);
  row.ended_us = fact.ended_us();
  row.output_bytes = fact.output_bytes();
  row.output_lines = fact.output_lines();
  row.last_line = text(fact.last_line());
  row.queued_position = event.position();
}

/// Its first_started_us stays 0: nobody saw its start, so no statistic counts how long it ran or waited.
void track_job(view::JobT& row, const schema::JobTracked& fact, const schema::Event& event) {
  take_spec(row, fact.spec());
  take_prompt(row, fact.prompt());
  row.tracked = true;
  row.pid = fact.pid();
  row.log = text(fact.log());
  row.log_from = fact.checkpoint() != nullptr ? fact.checkpoint()->scanned_to() : 0;
  row.state = State::running;
  row.attempt = row.attempts = 1;
  row.queued_us = row.started_us = event.time_us();
  row.queued_position = event.position();
}

void start_attempt(view::JobT& row, const schema::AttemptStarting& fact) {
  if (row.attempts > 0) forget_attempt(row);
  begin_attempt_usage(row.sessions);
  row.attempt = row.attempts = fact.attempt();
  row.state = State::starting;
  row.not_before_us = 0;
  row.backs_off = false;
  if (row.dir_gone) return;
  row.files_gone_us = 0;  // it will have output of its own
  row.files_gone_rule.clear();
}

void attempt_started(view::JobT& row, const schema::AttemptStarted& fact, TimeUs time) {
  row.pid = fact.pid();
  row.started_us = time;
  row.sandbox = text(fact.sandbox());
  if (row.first_started_us == 0) row.first_started_us = time;
  if (row.state == State::starting) row.state = row.waiting_since_us != 0 ? State::waiting : State::running;
  if (row.state == State::waiting) begin_waiting(row, time);
}

/// As in the decider's state, but what the checks said replaces what a person said before.
void take_message(view::JobT& row, const schema::JobRetried& fact, Position position) {
  if (fact.message() == nullptr && row.state != State::completed) return;
  row.message_text.reset(fact.message() != nullptr ? fact.message()->UnPack() : nullptr);
  if (row.message_text) row.message_text->hash.clear();
  row.message_position = row.message_text ? position : 0;
}

void retry_job(view::JobT& row, const schema::JobRetried& fact, const schema::Event& event) {
  take_message(row, fact, event.position());
  forget_attempt(row);
  end_waiting(row, event.time_us());
  row.snapshot.clear();
  row.attempt = fact.attempt();
  row.state = State::queued;
  row.not_before_us = fact.not_before_us();
  row.backs_off = row.not_before_us != 0;
  row.questions_open = row.approvals_open = 0;
  if (!fact.after()) return;
  for (const auto* job : *fact.after()) row.after.push_back(job->str());
}

void unpark_job(view::JobT& row) {
  forget_attempt(row);
  row.snapshot.clear();
  row.state = State::queued;
  row.parked_until_us = 0;
}

/// The same moments as in the decider's state.
void shift_deadlines(view::JobT& row, TimeUs by, TimeUs now) {
  for (TimeUs* moment : {&row.waiting_since_us, &row.paused_since_us}) {
    if (*moment != 0) *moment = std::max<TimeUs>(1, *moment + by);
  }
  if (row.backs_off) row.not_before_us = std::max<TimeUs>(1, row.not_before_us + by);
  row.parked_until_us = bounded_limit(row.parked_until_us, now);
}

void request_stop(view::JobT& row, const schema::StopRequested& fact) {
  row.stopping = true;
  // Shown with the end, which does not repeat the note.
  if (const std::string_view note = text(fact.note()); !note.empty()) row.reason_detail = bounded(note);
}

/// luzia-run may see a job end before the daemon has recorded its start. Then the start is also taken from
/// luzia-run, so that the attempt's length is what it measured.
void take_times(view::JobT& row, const schema::AttemptEnded& fact) {
  row.ended_us = fact.ended_us();
  if (row.ended_us >= row.started_us) return;
  const auto wall_us = static_cast<TimeUs>(std::min(fact.wall_us(), std::uint64_t{1} << 60));
  const bool first = row.first_started_us == row.started_us;
  row.started_us = std::max(row.queued_us, row.ended_us - wall_us);
  if (first) row.first_started_us = row.started_us;
  row.ended_us = std::max(row.ended_us, row.started_us);  // the clock was set back
}

void attempt_ended(view::JobT& row, const schema::AttemptEnded& fact, const schema::Event& event) {
  end_pause(row, fact.ended_us());
  row.run_us += measured_run(row, event).value_or(0);  // nobody measured a lost attempt
  row.exit_code = fact.exit_code();
  row.verified = fact.verified();
  row.checks_from = fact.checks_from();
  row.signal = fact.signal();
  take_times(row, fact);
  row.user_us = fact.user_us();
  row.system_us = fact.system_us();
  row.max_rss_kib = fact.max_rss_kib();
  row.output_bytes = std::max(row.output_bytes, fact.output_bytes());
  row.last_line = text(fact.last_line());
  row.pid = 0;
  // It may have asked and ended before its start was reported.
  if (row.waiting_since_us != 0) row.state = State::waiting;
}

void end_job(view::JobT& row, const schema::JobEnded& fact, TimeUs time) {
  // The runner's record of the end is more exact than the time of the event, unless the job waited on after
  // its process.
  const bool by_process =
      fact.reason() == schema::EndReason::exit_code || fact.reason() == schema::EndReason::signal;
  if (row.ended_us == 0) row.run_us += seen_run(row, time);
  if (row.ended_us == 0 || (row.state == State::waiting && !by_process)) row.ended_us = time;
  end_waiting(row, time);
  row.state = state_after(fact);
  const bool stopped =
      row.state == State::killed || row.state == State::timed_out || row.state == State::lost;
  if (stopped) note_unreported_usage(row);
  row.reason = fact.reason();
  const std::string_view detail = text(fact.detail());
  const bool noted_before = fact.reason() == schema::EndReason::cancelled && detail.empty();
  if (!noted_before) row.reason_detail = bounded(detail);
  row.retriable = fact.retriable();
  if (const std::string_view last = text(fact.last_line()); !last.empty()) row.last_line = last;
  row.pid = 0;
  row.questions_open = row.approvals_open = 0;
  row.not_before_us = row.parked_until_us = 0;
  row.backs_off = false;
  row.held = row.paused = row.stopping = false;
}

/// If the attempt's process has ended, the job continues with a new attempt.
void go_on(view::JobT& row, TimeUs time) {
  const bool has_process = row.ended_us == 0;
  if (row.state == State::waiting && has_process) row.state = State::running;
  end_waiting(row, time);
}

void reroute_job(view::JobT& row, const schema::JobRerouted& fact) {
  if (row.own_agent.empty()) row.own_agent = row.agent;
  row.agent = text(fact.agent());
  if (row.agent == row.own_agent) row.own_agent.clear();
  if (row.state == State::parked) unpark_job(row);
}

void end_dependency(view::JobT& row, const schema::DependencyEnded& fact) {
  if (fact.state() == State::completed) std::erase(row.after, text(fact.job()));
}

void fold_lifecycle(view::JobT& row, const schema::JobEvent& job, const schema::Event& event) {
  const TimeUs time = event.time_us();
  take_fact(
      job, [&](const schema::JobQueued& fact) { queue_job(row, fact, event); },
      [&](const schema::AttemptStarting& fact) { start_attempt(row, fact); },
      [&](const schema::AttemptStarted& fact) { attempt_started(row, fact, time); },
      [&](const schema::StopRequested& fact) { request_stop(row, fact); },
      [&](const schema::AttemptEnded& fact) { attempt_ended(row, fact, event); },
      [&](const schema::JobEnded& fact) { end_job(row, fact, time); },
      [&](const schema::JobRetried& fact) { retry_job(row, fact, event); },
      [&](const schema::JobTold& fact) { fold_told(row, fact, event); },
      [&](const schema::JobToldRead& fact) { fold_told_read(row, fact, time); },
      [&](const schema::AttemptLimited&) {}, [&](const schema::HostsContacted&) {},
      [&](const schema::JobHeld&) { row.held = true; }, [&](const schema::JobReleased&) { row.held = false; },
      [&](const schema::JobPaused&) { row.paused = true; },
      [&](const schema::JobResumed&) { row.paused = false; },
      [&](const schema::JobReprioritized& fact) { row.priority = fact.priority(); },
      [&](const schema::JobRescheduled& fact) {
        row.not_before_us = fact.not_before_us();
        row.backs_off = false;
      },
      [&](const schema::JobParked& fact) {
        row.state = State::parked;
        row.parked_until_us = fact.until_us();
      },
      [&](const schema::JobUnparked&) { unpark_job(row); },
      [&](const schema::JobRerouted& fact) { reroute_job(row, fact); },
      [&](const schema::JobWaiting&) {
        if (row.state == State::running) row.state = State::waiting;
        begin_waiting(row, time);
      },
      [&](const schema::JobContinued& fact) {
        if (fact.open() == 0) go_on(row, time);
      },
      [&](const schema::DependencyEnded& fact) { end_dependency(row, fact); },
      [&](const schema::StopForced&) {}, [&](const schema::RunnerGone&) {},
      [&](const schema::ExitRecordLate&) {},
      [&](const schema::JobImported& fact) { import_job(row, fact, event); },
      [&](const schema::JobTracked& fact) { track_job(row, fact, event); },
      [&](const schema::JobRemoved& fact) { remove_job(row, fact, time); },
      [&](const schema::PromptBuilt& fact) { row.prompt_template = text(fact.template_()); },
      [&](const schema::DeadlinesShifted& fact) { shift_deadlines(row, fact.by_us(), time); });
}

/// Findings that were only counted still count.
void count_findings(view::JobT& row, const schema::OutputAppended& fact) {
  const std::pair<std::string_view, std::uint32_t*> counters[] = {{"warning", &row.warnings},
                                                                  {"error", &row.errors},
                                                                  {"tool call", &row.tool_calls},
                                                                  {"tool denial", &row.tool_denials},
                                                                  {"retry", &row.agent_retries}};
  for (const auto& [kind, counter] : counters) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    *counter = static_cast<std::uint32_t>(std::min(kMost, add_bounded(*counter, omitted_of(fact, kind))));
  }
  row.findings_omitted = add_bounded(row.findings_omitted, omitted_of(fact, {}));
}

void fold_output(view::JobT& row, const schema::OutputEvent& output) {
  take_fact(
      output,
      [&](const schema::OutputAppended& fact) {
        if (fact.to() > fact.from()) row.output_bytes += fact.to() - fact.from();
        row.output_lines += fact.lines();
        if (fact.omitted()) count_findings(row, fact);
      },
      [&](const schema::AnnotationFound& fact) {
        if (fact.severity() >= schema::Severity::error) ++row.errors;
        if (fact.severity() == schema::Severity::warning) ++row.warnings;
        if (fact.severity() >= schema::Severity::warning) row.last_warning = bounded(text(fact.message()));
      },
      [&](const schema::FindingsLimited&) {}, [&](const schema::OutputRestarted&) {});
}

view::ReportedT& reported_of(view::JobT& row) {
  if (!row.reported) row.reported = std::make_unique<view::ReportedT>();
  return *row.reported;
}

/// Steps that a report names. A bare percentage (OSC 9;4) has none: the last known ones stay.
template <class Fact>
void fold_step(view::ProgressT& progress, const Fact& fact) {
  if (fact.total_steps() > 0 || fact.current_step() > 0) {
    progress.current_step = fact.current_step();
    progress.total_steps = fact.total_steps();
  }
  if (!text(fact.current_step_name()).empty()) progress.step_name = bounded(text(fact.current_step_name()));
}

view::ProgressT& progress_of(view::JobT& row) {
  if (!row.progress) row.progress = std::make_unique<view::ProgressT>();
  return *row.progress;
}

void fold_progress(view::JobT& row, const schema::ProgressReported& fact) {
  view::ProgressT& progress = progress_of(row);
  progress.percent = fact.progress_percent();
  fold_step(progress, fact);
  // Markers in the output report neither.
  if (fact.elapsed_seconds() <= 0 && !fact.estimated_remaining_seconds()) return;
  view::ReportedT& reported = reported_of(row);
  if (fact.elapsed_seconds() > 0) reported.elapsed_seconds = fact.elapsed_seconds();
  reported.remaining_seconds = fact.estimated_remaining_seconds();
}

void fold_started(view::JobT& row, const schema::TaskStarted& fact) {
  view::ReportedT& reported = reported_of(row);
  reported.task_id = bounded(text(fact.task_id()));
  reported.project = bounded(text(fact.project()));
  reported.description = bounded(text(fact.description()));
  reported.estimated_seconds = fact.estimated_duration_seconds();
}

void fold_queued(view::JobT& row, const schema::TaskQueued& fact) {
  constexpr std::size_t kMostAhead = 20;
  view::ReportedT& reported = reported_of(row);
  if (!text(fact.project()).empty()) reported.project = bounded(text(fact.project()));
  if (!text(fact.description()).empty()) reported.description = bounded(text(fact.description()));
  reported.reason = bounded(text(fact.reason()));
  reported.queue_position = fact.queue_position();
  reported.estimated_wait_seconds = fact.estimated_wait_seconds();
  reported.queue_ahead.clear();
  if (fact.queue_ahead() == nullptr) return;
  for (const auto* job : *fact.queue_ahead()) {
    if (reported.queue_ahead.size() < kMostAhead) reported.queue_ahead.push_back(bounded(job->string_view()));
  }
}

void fold_advice(view::JobT& row, const flatbuffers::String* type,
                 const flatbuffers::String* recommendation) {
  // The daemon's own warnings have both.
  if (text(type).empty() && text(recommendation).empty()) return;
  view::ReportedT& reported = reported_of(row);
  reported.warning_type = bounded(text(type));
  reported.recommendation = bounded(text(recommendation));
}

/// A published warning also says how far the work is. The daemon's own say only how long it has taken, which
/// is known anyway.
void fold_warning(view::JobT& row, const schema::WarningReported& fact, bool by_daemon) {
  ++row.warnings;
  row.last_warning = bounded(text(fact.message()));
  fold_advice(row, fact.warning_type(), fact.recommendation());
  if (by_daemon) return;
  if (fact.elapsed_seconds() > 0) reported_of(row).elapsed_seconds = fact.elapsed_seconds();
  const bool has_step =
      fact.total_steps() > 0 || fact.current_step() > 0 || !text(fact.current_step_name()).empty();
  if (!has_step && fact.progress_percent() <= 0) return;
  view::ProgressT& progress = progress_of(row);
  if (fact.progress_percent() > 0) progress.percent = fact.progress_percent();
  fold_step(progress, fact);
}

void fold_failure(view::JobT& row, const schema::TaskFailed& fact) {
  ++row.errors;
  row.last_warning = bounded(text(fact.error()));
  if (fact.elapsed_seconds() > 0) reported_of(row).elapsed_seconds = fact.elapsed_seconds();
  if (row.reported) row.reported->remaining_seconds = flatbuffers::nullopt;
  if (!fact.retriable() && fact.retry_count() == 0) return;
  reported_of(row).retriable = fact.retriable();
  reported_of(row).retry_count = fact.retry_count();
}

void fold_report(view::JobT& row, const schema::ReportEvent& report, bool by_daemon) {
  take_fact(
      report, [&](const schema::ProgressReported& fact) { fold_progress(row, fact); },
      [&](const schema::TaskCompleted& fact) {
        row.verdict = fact.status();
        row.findings_count = fact.findings_count();
        row.recommendations_count = fact.recommendations_count();
        if (fact.elapsed_seconds() > 0) reported_of(row).elapsed_seconds = fact.elapsed_seconds();
        if (row.reported) row.reported->remaining_seconds = flatbuffers::nullopt;
      },
      [&](const schema::WarningReported& fact) { fold_warning(row, fact, by_daemon); },
      [&](const schema::TaskFailed& fact) { fold_failure(row, fact); },
      [&](const schema::SystemAlertReported& fact) {
        reported_of(row).alert = bounded(text(fact.message()));
        reported_of(row).alert_severity = fact.severity();
        fold_advice(row, fact.alert_type(), fact.recommendation());
      },
      [&](const schema::TaskStarted& fact) { fold_started(row, fact); },
      [&](const schema::TaskQueued& fact) { fold_queued(row, fact); },
      [&](const schema::SessionIdentified& fact) {
        row.session_id = text(fact.session_id());
        if (fact.model() && fact.model()->size() > 0) row.model = text(fact.model());
      },
      [&](const schema::TodoReported& fact) { fold_todo(row, fact); },
      [&](const schema::AgentRetried&) { ++row.agent_retries; },
      [&](const schema::AgentErrorReported& fact) {
        ++row.errors;
        row.last_warning = bounded(text(fact.text()));
      },
      [&](const schema::AgentConcluded& fact) { fold_conclusion(row, fact); });
}

}  // namespace

std::optional<std::uint64_t> measured_run(const view::JobT& row, const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  if (job == nullptr) return std::nullopt;
  if (const auto* ended = job->fact_as_AttemptEnded()) {
    const bool ran = !ended->evidence_lost() && text(ended->start_error()).empty();
    return ran ? std::optional(without_idling(row, ended->wall_us(), ended->ended_us())) : std::nullopt;
  }
  const auto* imported = job->fact_as_JobImported();
  const bool ran =
      imported != nullptr && imported->started_us() != 0 && imported->ended_us() >= imported->started_us();
  if (!ran) return std::nullopt;
  return static_cast<std::uint64_t>(imported->ended_us() - imported->started_us());
}

UsageGrowth fold_job_row(view::JobT& row, const schema::Event& event) {
  UsageGrowth used;
  row.position = event.position();
  if (const auto* job = event.payload_as_JobEvent()) {
    fold_lifecycle(row, *job, event);
    follow_pause(row, event.time_us());
  } else if (const auto* output = event.payload_as_OutputEvent()) {
    fold_output(row, *output);
  } else if (const auto* report = event.payload_as_ReportEvent()) {
    const auto* actor = event.actor();
    fold_report(row, *report, actor == nullptr || actor->kind() == schema::ActorKind::daemon);
  } else if (const auto* usage = event.payload_as_UsageEvent()) {
    fold_usage(row, *usage, used);
  } else if (const auto* tool = event.payload_as_ToolEvent()) {
    fold_tool(row, *tool);
  } else if (const auto* system = event.payload_as_SystemEvent()) {
    if (const auto* expired = system->fact_as_FilesExpired()) expire_files(row, *expired, event.time_us());
  } else {
    fold_input(row, event);
  }
  return used;
}

}  // namespace luzia
