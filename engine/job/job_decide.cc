// decide: each command goes to its function, one family of commands a file; each reads the state, returns
// events or one clear refusal. Here is what the families share.
#include "engine/job/decide_parts.h"
#include "engine/job/input_events.h"
#include "engine/job/job_removal.h"

namespace luzia {

using St = schema::JobState;

Result<std::vector<NewEvent>> decide(const JobState& state, JobCommand&& command, TimeUs now) {
  if (auto* queue = std::get_if<QueueJob>(&command)) return decide_queue(state, std::move(*queue));
  return decide(state, std::as_const(command), now);
}

Result<std::vector<NewEvent>> decide(const JobState& state, const JobCommand& command, TimeUs now) {
  if (const auto* queue = std::get_if<QueueJob>(&command)) return decide_queue(state, *queue);
  if (const auto* known = std::get_if<ImportJob>(&command)) return decide_import(state, *known);
  if (state.job.empty()) return refuse_unknown(state.job);
  struct Visitor {
    const JobState& state;
    TimeUs now;
    Decided operator()(const QueueJob& c) const { return decide_queue(state, c); }
    Decided operator()(const ImportJob& c) const { return decide_import(state, c); }
    Decided operator()(const StartAttempt& c) const { return decide_start(state, c); }
    Decided operator()(const ReportStarted& c) const { return decide_started(state, c); }
    Decided operator()(const RecordExit& c) const { return decide_exit(state, c, now); }
    Decided operator()(const ReportRunnerGone& c) const { return decide_runner_gone(state, c); }
    Decided operator()(const CancelJob& c) const { return decide_cancel(state, c, now); }
    Decided operator()(const RetryJob& c) const { return decide_retry(state, c); }
    Decided operator()(const HoldJob& c) const { return decide_hold(state, c); }
    Decided operator()(const ReleaseJob& c) const { return decide_release(state, c); }
    Decided operator()(const PauseJob& c) const { return decide_pause(state, c); }
    Decided operator()(const ResumeJob& c) const { return decide_resume(state, c); }
    Decided operator()(const ReprioritizeJob& c) const { return decide_reprioritize(state, c); }
    Decided operator()(const RescheduleJob& c) const { return decide_reschedule(state, c); }
    Decided operator()(const DeadlineReached& c) const { return decide_deadline(state, c, now); }
    Decided operator()(const ReportDependency& c) const { return decide_dependency(state, c); }
    Decided operator()(const ShiftDeadlines& c) const { return decide_shift(state, c, now); }
    Decided operator()(const RecordOutput& c) const { return decide_output(state, c); }
    Decided operator()(const PublishReport& c) const { return decide_publish(state, c); }
    Decided operator()(const WarnJob& c) const { return decide_warn(state, c, now); }
    Decided operator()(const AskQuestion& c) const { return decide_ask(state, c); }
    Decided operator()(const AnswerQuestion& c) const { return decide_answer(state, c, now); }
    Decided operator()(const CancelQuestion& c) const { return decide_cancel_question(state, c, now); }
    Decided operator()(const RequestApproval& c) const { return decide_request(state, c); }
    Decided operator()(const DecideApproval& c) const { return decide_approval(state, c, now); }
    Decided operator()(const CancelApproval& c) const { return decide_cancel_approval(state, c, now); }
    Decided operator()(const ConfirmDelivery& c) const { return decide_delivery(state, c); }
    Decided operator()(const NoteWorkspace& c) const { return decide_workspace(state, c); }
    Decided operator()(const NotePrompt& c) const { return decide_prompt(state, c); }
    Decided operator()(const RemindOfInput& c) const { return decide_remind(state, c); }
    Decided operator()(const RemoveJob& c) const { return decide_remove(state, c); }
  };
  return std::visit(Visitor{state, now}, command);
}

tl::unexpected<Error> refuse_unknown(const std::string& job) {
  return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'", "luzia jobs --all lists them");
}

bool is_stale(const JobState& state, std::uint32_t attempt) {
  return attempt != state.attempt || state.state == St::queued;
}

tl::unexpected<Error> refuse_ended(const JobState& state, const std::string& what) {
  if (state.removed) return refuse_removed(state, what);
  return fail(ErrorKind::refused, "already_ended",
              "cannot " + what + " job " + state.job + ": it has already ended (" +
                  schema::EnumNameJobState(state.state) + ")",
              "luzia retry " + state.job + " runs it again");
}

bool has_process(const JobState& state) {
  return (state.state == St::starting || state.state == St::running || state.state == St::waiting) &&
         !state.attempt_over;
}

NewEvent retried(const JobState& state, TimeUs not_before, bool automatic, std::string note) {
  schema::JobRetriedT fact;
  fact.attempt = state.next_attempt;
  fact.not_before_us = not_before;
  fact.automatic = automatic;
  fact.note = std::move(note);
  return job_event(state.job, std::move(fact));
}

}  // namespace luzia
