// evolve: the state after one more event. Never fails; skips events of other streams and of newer programs.
#include <algorithm>

#include "engine/base/durations.h"
#include "engine/event/take_fact.h"
#include "engine/job/agent_facts.h"
#include "engine/job/finding_limits.h"
#include "engine/job/input_state.h"
#include "engine/job/issue_fixes.h"
#include "engine/job/job_ending.h"
#include "engine/job/job_removal.h"
#include "engine/job/job_rerouting.h"
#include "engine/job/job_warnings.h"
#include "engine/job/told_state.h"

namespace luzia {
namespace {

using schema::JobState::completed;
using schema::JobState::parked;
using schema::JobState::queued;
using schema::JobState::running;
using schema::JobState::starting;
using schema::JobState::waiting;

void queue_job(luzia::JobState& state, schema::JobQueuedT& fact, TimeUs time, Position position) {
  state.job = std::move(fact.job);
  state.spec = std::move(fact.spec);
  if (!state.spec) state.spec = std::make_unique<schema::JobSpecT>();
  state.priority = fact.priority;
  state.after = std::move(fact.after);
  state.prompt = std::move(fact.prompt);
  state.env = std::move(fact.env);
  state.state = queued;
  state.queued_us = fact.enqueued_us != 0 ? fact.enqueued_us : time;
  state.queued_position = position;
  state.not_before_us = fact.not_before_us;
  state.next_attempt = 1;
}

void queue_job(luzia::JobState& state, const schema::JobQueued& fact, TimeUs time, Position position) {
  schema::JobQueuedT native;
  fact.UnPackTo(&native);
  queue_job(state, native, time, position);
}

/// A job that Luzia never ran: there is no process of its only attempt.
template <class Native>
void begin_foreign(luzia::JobState& state, Native& native, Position position) {
  state.job = std::move(native.job);
  state.spec = native.spec ? std::move(native.spec) : std::make_unique<schema::JobSpecT>();
  state.prompt = std::move(native.prompt);
  state.queued_position = position;
  state.attempt = 1;
  state.next_attempt = 2;
  state.attempt_over = true;
}

void import_job(luzia::JobState& state, const schema::JobImported& fact, Position position) {
  schema::JobImportedT native;
  fact.UnPackTo(&native);
  begin_foreign(state, native, position);
  state.state = native.state;
  state.end_reason = native.reason;
  state.queued_us = native.queued_us;
  state.started_us = native.started_us;
}

void track_job(luzia::JobState& state, const schema::JobTracked& fact, TimeUs time, Position position) {
  schema::JobTrackedT native;
  fact.UnPackTo(&native);
  begin_foreign(state, native, position);
  state.tracked = true;
  state.task_id = std::move(native.task_id);
  state.pid = native.pid;
  state.pid_start = native.pid_start;
  state.boot_id = std::move(native.boot_id);
  state.log = std::move(native.log);
  state.checkpoint = std::move(native.checkpoint);
  state.state = running;
  state.queued_us = state.started_us = time;
}

/// Clears what belongs to one attempt only.
void forget_attempt(luzia::JobState& state) {
  state.boot_id.clear();
  state.pid = state.runner_pid = 0;
  state.pid_start = state.runner_start = 0;
  state.started_us = state.timeout_at_us = state.force_at_us = 0;
  state.stop_requested = state.stop_forced = state.runner_gone = state.attempt_over = state.paused = false;
  state.stop_reason = schema::StopReason::cancelled;
  state.stop_note.clear();
  state.attach.reset();
  state.checkpoint.reset();
  state.output_lines = 0;
  state.warned = state.hosts_told = 0;
  state.hosts_counted = false;
  state.waiting_since_us = 0;
  state.human_wait_us = 0;
  state.paused_since_us = state.went_on_us = 0;
  state.paused_us = 0;
  state.fixables.clear();
  state.findings.clear();
  forget_agent_facts(state);
}

void limit_attempt(luzia::JobState& state, TimeUs from) {
  if (state.spec->timeout_ms == 0) return;
  state.timeout_at_us = from + bounded_us(state.spec->timeout_ms);
}

void start_attempt(luzia::JobState& state, const schema::AttemptStarting& fact, TimeUs time) {
  forget_attempt(state);
  state.attempt = fact.attempt();
  state.next_attempt = fact.attempt() + 1;
  hand_on_inputs(state);
  state.boot_id = text(fact.boot_id());
  state.state = starting;
  state.not_before_us = 0;
  state.backs_off = false;
  limit_attempt(state, time);  // preflight checks may take as long as the agent itself
  put_told_into_prompt(state);
  // Rows of earlier releases do not say which agents have run.
  if (state.routes_run == 0 && state.attempt > 1) state.routes_run = ~0U;
  state.routes_run |= 1U << state.route;
}

void attempt_started(luzia::JobState& state, const schema::AttemptStarted& fact, TimeUs time) {
  state.pid = fact.pid();
  state.pid_start = fact.pid_start();
  state.runner_pid = fact.runner_pid();
  state.runner_start = fact.runner_start();
  state.started_us = time;
  limit_attempt(state, time);
  hear_prompt(state);
  if (state.state == starting) state.state = state.open_requests > 0 ? waiting : running;
}

void request_stop(luzia::JobState& state, const schema::StopRequested& fact, TimeUs time) {
  if (!state.stop_requested || state.attach) state.stop_note = text(fact.note());
  state.stop_requested = true;
  state.stop_reason = fact.reason();
  state.attach.reset(fact.then() != nullptr ? fact.then()->UnPack() : nullptr);
  state.force_at_us = time + bounded_us(fact.grace_ms());
}

void attempt_ended(luzia::JobState& state, const schema::AttemptEnded& fact) {
  state.spent_us += worked_us(state, fact.wall_us(), fact.ended_us());
  if (text(fact.start_error()).empty() && !fact.evidence_lost())
    hear_prompt(state);  // its start may be unreported
  doubt_heard(state, fact);
  state.attempt_over = true;
  state.timeout_at_us = state.force_at_us = 0;
  // It asked and ended before its start was reported. Unless it ended to ask, its end follows.
  if (state.open_requests > 0) state.state = waiting;
}

void end_job(luzia::JobState& state, const schema::JobEnded& fact, Position position) {
  if (fact.report() != nullptr) {
    state.report.reset(fact.report()->UnPack());
    state.report_position = position;
  }
  state.state = state_after(fact);
  state.end_reason = fact.reason();
  state.retriable = fact.retriable();
  state.attempt_over = true;
  state.held = state.paused = false;
  state.order.clear();
  state.attach.reset();
  state.ended_before.reset();
  state.parked_until_us = 0;
  state.timeout_at_us = state.force_at_us = 0;
  state.open_requests = 0;
  state.waiting_since_us = state.paused_since_us = 0;
  state.fixes.clear();
  forget_inputs(state);
}

/// The next attempt opens the agent's session in a person's terminal. Nothing that helps a job without a
/// person applies to it.
void run_at_terminal(luzia::JobState& state, const schema::TerminalRun& fact) {
  schema::TerminalRunT run;
  fact.UnPackTo(&run);
  state.background_spec = std::make_unique<schema::JobSpecT>(*state.spec);
  schema::JobSpecT& spec = *state.spec;
  spec.command = std::move(run.command);
  spec.resume_command.clear();
  spec.output_format = "text";  // a screen
  spec.prompt_template.clear();
  spec.permissions.clear();  // the agent asks the person
  spec.stdin_prompt = false;
  spec.interactive = true;
  spec.terminal = schema::Terminal::pty;
  spec.terminal_columns = run.columns;
  spec.terminal_rows = run.rows;
  spec.retries = spec.limit_resumes = spec.verify_tries = 0;
}

/// A message holds until an attempt completes, which has heard it. What the checks say comes beside it: a new
/// session needs both.
void take_message(luzia::JobState& state, const schema::JobRetried& fact, Position position) {
  if (fact.message() == nullptr && state.state != completed) return;
  const bool from_checks = fact.corrects() && fact.message() != nullptr;
  state.report.reset(from_checks ? fact.message()->UnPack() : nullptr);
  state.report_position = state.report ? position : 0;
  if (from_checks) return;
  state.corrections = 0;  // of what was asked now
  state.message.reset(fact.message() != nullptr ? fact.message()->UnPack() : nullptr);
  state.message_position = state.message ? position : 0;
}

void retry_job(luzia::JobState& state, const schema::JobRetried& fact, Position position) {
  take_message(state, fact, position);
  if (state.state == completed) forget_heard(state);
  state.ended_before.reset();
  if (fact.at_terminal() != nullptr && is_terminal(state.state)) {
    state.ended_before = std::make_unique<schema::JobEndedT>();
    state.ended_before->state = state.state;
    state.ended_before->reason = state.end_reason;
    state.ended_before->retriable = state.retriable;
  }
  forget_attempt(state);
  if (state.background_spec) state.spec = std::move(state.background_spec);
  if (fact.at_terminal() != nullptr) run_at_terminal(state, *fact.at_terminal());
  state.state = queued;
  state.next_attempt = fact.attempt();
  state.not_before_us = fact.not_before_us();
  state.backs_off = state.not_before_us != 0;
  state.open_requests = 0;
  if (fact.fresh()) state.session_id.clear();
  if (fact.corrects()) ++state.corrections;
  if (fact.login_until_us() != 0) {
    ++state.login_waits;
  } else if (!fact.automatic()) {
    state.login_waits = 0;  // a person had it go on
  }
  if (fact.automatic() && !fact.corrects()) ++state.retries_used;
  if (fact.answers() != nullptr) {
    state.answers.clear();
    for (const auto* id : *fact.answers()) state.answers.push_back(id->str());
  }
  forget_inputs(state);
  if (fact.after() == nullptr) return;
  for (const auto* id : *fact.after()) state.after.push_back(id->str());
}

/// The job continues with its next attempt after a usage limit. Only automatic resumes count against
/// limit_resumes; a person may always resume.
void unpark_job(luzia::JobState& state, TimeUs time) {
  const bool by_itself = state.parked_until_us != 0 && time >= state.parked_until_us;
  if (by_itself && state.limit_resumes_used < state.spec->limit_resumes) ++state.limit_resumes_used;
  forget_attempt(state);
  state.state = queued;
  state.parked_until_us = 0;
}

void change_agent(luzia::JobState& state, const schema::JobRerouted& fact) {
  reroute(state, fact);
  if (state.state != parked) return;
  forget_attempt(state);
  state.state = queued;
  state.parked_until_us = 0;
}

/// Moments that a person named and resets of usage limits are absolute: they do not move with the clock.
void shift_deadlines(luzia::JobState& state, TimeUs by, TimeUs now) {
  const auto shift = [by](TimeUs& moment) {
    if (moment != 0) moment = std::max<TimeUs>(1, moment + by);
  };
  for (TimeUs* moment : {&state.started_us, &state.timeout_at_us, &state.force_at_us, &state.paused_since_us,
                         &state.went_on_us}) {
    shift(*moment);
  }
  if (state.backs_off) shift(state.not_before_us);
  state.parked_until_us = bounded_limit(state.parked_until_us, now);
  shift_input_moments(state, by);
}

void park_job(luzia::JobState& state, TimeUs until) {
  state.state = schema::JobState::parked;
  state.parked_until_us = until;
}

void end_dependency(luzia::JobState& state, const schema::DependencyEnded& fact) {
  if (fact.state() == completed) std::erase(state.after, text(fact.job()));
}

void evolve_job(luzia::JobState& state, const schema::JobEvent& event, const schema::Event& whole) {
  const TimeUs time = whole.time_us();
  const Position position = whole.position();
  take_fact(
      event, [&](const schema::JobQueued& fact) { queue_job(state, fact, time, position); },
      [&](const schema::AttemptStarting& fact) { start_attempt(state, fact, time); },
      [&](const schema::AttemptStarted& fact) { attempt_started(state, fact, time); },
      [&](const schema::StopRequested& fact) { request_stop(state, fact, time); },
      [&](const schema::StopForced&) {
        state.stop_forced = true;
        state.force_at_us = 0;
      },
      [&](const schema::RunnerGone&) { state.runner_gone = true; },
      [&](const schema::AttemptEnded& fact) { attempt_ended(state, fact); },
      [&](const schema::JobEnded& fact) { end_job(state, fact, position); },
      [&](const schema::JobRetried& fact) { retry_job(state, fact, position); },
      [&](const schema::JobHeld& fact) {
        state.held = true;
        state.order = text(fact.order());
      },
      [&](const schema::JobReleased&) {
        state.held = false;
        state.order.clear();
      },
      [&](const schema::JobPaused&) { state.paused = true; },
      [&](const schema::JobResumed&) { state.paused = false; },
      [&](const schema::JobReprioritized& fact) { state.priority = fact.priority(); },
      [&](const schema::JobRescheduled& fact) {
        state.not_before_us = fact.not_before_us();
        state.backs_off = false;
      },
      [&](const schema::JobParked& fact) { park_job(state, fact.until_us()); },
      [&](const schema::JobUnparked&) { unpark_job(state, time); },
      [&](const schema::JobRerouted& fact) { change_agent(state, fact); },
      [&](const schema::JobWaiting& fact) { begin_wait(state, fact.open(), time); },
      [&](const schema::JobContinued& fact) { end_wait(state, fact.open(), time); },
      [&](const schema::AttemptLimited&) {},
      [&](const schema::HostsContacted& fact) {
        if (fact.total())
          state.hosts_counted = true;
        else if (fact.hosts() != nullptr)
          state.hosts_told += fact.hosts()->size();
      },
      [&](const schema::ExitRecordLate&) {}, [&](const schema::PromptBuilt&) {},
      [&](const schema::JobTold& fact) { take_told(state, fact, whole); },
      [&](const schema::JobToldRead& fact) { read_told(state, fact, time); },
      [&](const schema::JobRemoved& fact) { remove_job(state, fact); },
      [&](const schema::JobImported& fact) { import_job(state, fact, position); },
      [&](const schema::JobTracked& fact) { track_job(state, fact, time, position); },
      [&](const schema::DependencyEnded& fact) { end_dependency(state, fact); },
      [&](const schema::DeadlinesShifted& fact) { shift_deadlines(state, fact.by_us(), time); });
}

/// Noting the prompt is none, and neither is what people say.
bool is_step_of_life(const schema::JobEvent& event) {
  return event.fact_as_PromptBuilt() == nullptr && event.fact_as_JobTold() == nullptr &&
         event.fact_as_JobToldRead() == nullptr;
}

void evolve_output(luzia::JobState& state, const schema::OutputEvent& event) {
  take_fact(
      event, [&](const schema::AnnotationFound&) {}, [&](const schema::FindingsLimited&) {},
      [&](const schema::OutputAppended& fact) {
        state.output_lines += fact.lines();
        if (fact.checkpoint()) state.checkpoint.reset(fact.checkpoint()->UnPack());
      },
      [&](const schema::OutputRestarted& fact) {
        if (fact.checkpoint()) state.checkpoint.reset(fact.checkpoint()->UnPack());
      });
}

}  // namespace

void evolve(JobState& state, const schema::Event& event) {
  state.version = event.version();
  state.position = event.position();
  if (const auto* job = event.payload_as_JobEvent()) {
    if (is_step_of_life(*job)) state.lifecycle_position = event.position();
    evolve_job(state, *job, event);
    follow_pause(state, event.time_us());
  } else if (const auto* output = event.payload_as_OutputEvent()) {
    evolve_output(state, *output);
  } else if (const auto* report = event.payload_as_ReportEvent()) {
    evolve_report(state, *report);
    state.warned |= warning_bit(event);
  } else if (const auto* tool = event.payload_as_ToolEvent()) {
    evolve_tool(state, *tool);
  } else if (const auto* usage = event.payload_as_UsageEvent()) {
    evolve_usage(state, *usage);
  } else if (const auto* question = event.payload_as_QuestionEvent()) {
    state.lifecycle_position = event.position();
    evolve_question(state, *question, event);
  } else if (const auto* approval = event.payload_as_ApprovalEvent()) {
    state.lifecycle_position = event.position();
    evolve_approval(state, *approval, event);
  } else if (const auto* issue = event.payload_as_IssueEvent()) {
    evolve_issue(state, *issue);
  } else if (const auto* system = event.payload_as_SystemEvent()) {
    if (const auto* expired = system->fact_as_FilesExpired()) expire_files(state, *expired);
  }
  evolve_findings(state, event);
}

void evolve_queued(JobState& state, schema::JobQueuedT fact, std::uint64_t version, Position position,
                   TimeUs time) {
  state.version = version;
  state.position = state.lifecycle_position = position;
  queue_job(state, fact, time, position);
}

}  // namespace luzia
