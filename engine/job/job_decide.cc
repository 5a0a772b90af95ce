// decide: dispatches each command to its function; one file holds one family of commands. Each function reads
// the state and returns events or one clear refusal. What the families share is here.

#include "engine/job/decide_parts.h"
#include "engine/job/job_removal.h"

namespace luzia {

using St = schema::JobState;

namespace {

/// The verb of a command that only makes sense for a process that Luzia started; null: of any other.
const char* done_to_process(const JobCommand& command) {
  const auto is = [&command]<class Kind>(std::type_identity<Kind>) {
    return std::holds_alternative<Kind>(command);
  };
  if (is(std::type_identity<CancelJob>())) return "cancel";
  if (is(std::type_identity<RetryJob>())) return "retry";
  if (is(std::type_identity<AttachJob>())) return "attach to";
  if (is(std::type_identity<HoldJob>())) return "hold";
  if (is(std::type_identity<ReleaseJob>())) return "release";
  if (is(std::type_identity<PauseJob>())) return "pause";
  if (is(std::type_identity<ResumeJob>())) return "resume";
  if (is(std::type_identity<ReprioritizeJob>())) return "edit";
  if (is(std::type_identity<RescheduleJob>())) return "edit";
  if (is(std::type_identity<TellJob>())) return "tell";
  if (is(std::type_identity<AskQuestion>())) return "ask for";
  return is(std::type_identity<RequestApproval>()) ? "ask for" : nullptr;
}

tl::unexpected<Error> refuse_tracked(const JobState& state, const std::string& what) {
  return fail(ErrorKind::refused, "not_started_here",
              "cannot " + what + " job " + state.job + ": Luzia did not start it, and only tracks it",
              hint_for_tracked(state));
}

}  // namespace

bool begins_job(const JobCommand& command) {
  return std::holds_alternative<QueueJob>(command) || std::holds_alternative<ImportJob>(command) ||
         std::holds_alternative<TrackTask>(command) || std::holds_alternative<TrackWork>(command);
}

std::string hint_for_tracked(const JobState& state) {
  if (is_terminal(state.state)) {
    return "luzia publish task_started --task-id ID --project " + state.spec->project + " begins a new one";
  }
  const std::string end = "luzia publish task_completed " + state.job + ", or task_failed, records its end";
  return is_watched(state) ? end + "; luzia untrack " + state.job + " stops watching it" : end;
}

Result<std::vector<NewEvent>> decide(const JobState& state, JobCommand&& command, TimeUs now) {
  if (auto* queue = std::get_if<QueueJob>(&command)) return decide_command(state, std::move(*queue), now);
  return decide(state, std::as_const(command), now);
}

Result<std::vector<NewEvent>> decide(const JobState& state, const JobCommand& command, TimeUs now) {
  if (state.job.empty() && !begins_job(command)) return refuse_unknown(state.job);
  const auto* cancel = std::get_if<CancelJob>(&command);
  if (cancel != nullptr && is_watched(state))
    return decide_command(state, UntrackJob{cancel->note, cancel->last_line}, now);
  if (const char* what = state.tracked ? done_to_process(command) : nullptr) {
    return refuse_tracked(state, what);
  }
  return std::visit([&](const auto& each) { return decide_command(state, each, now); }, command);
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
              state.tracked ? hint_for_tracked(state) : "luzia retry " + state.job + " runs it again");
}

bool has_process(const JobState& state) {
  return (state.state == St::starting || state.state == St::running || state.state == St::waiting) &&
         !state.attempt_over;
}

NewEvent ended_job(const JobState& state, schema::JobState end_state, schema::EndReason reason,
                   std::string detail, bool retriable) {
  schema::JobEndedT fact;
  fact.state = end_state;
  fact.reason = reason;
  fact.detail = std::move(detail);
  fact.retriable = retriable;
  fact.attempt = state.attempt;
  if (state.spec) fact.callback = state.spec->callback_url;
  return job_event(state.job, std::move(fact));
}

NewEvent stop_request(const JobState& state, schema::StopReason reason, std::string note,
                      std::optional<std::uint64_t> grace_ms) {
  schema::StopRequestedT fact;
  fact.attempt = state.attempt;
  fact.reason = reason;
  fact.grace_ms = grace_ms.value_or(state.spec->kill_grace_ms);
  fact.note = std::move(note);
  return job_event(state.job, std::move(fact));
}

NewEvent retried(const JobState& state, TimeUs not_before, bool automatic, std::string note) {
  schema::JobRetriedT fact;
  fact.attempt = state.next_attempt;
  fact.not_before_us = not_before;
  fact.automatic = automatic;
  fact.note = std::move(note);
  return job_event(state.job, std::move(fact));
}

NewEvent retried_at_terminal(const JobState& state, const schema::TerminalRunT& run, std::string note) {
  NewEvent event = retried(state, 0, false, std::move(note));
  event.payload.AsJobEvent()->fact.AsJobRetried()->at_terminal = std::make_unique<schema::TerminalRunT>(run);
  return event;
}

}  // namespace luzia
