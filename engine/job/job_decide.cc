// decide: dispatches each command to its function; one file holds one family of commands. Each function reads
// the state and returns events or one clear refusal. What the families share is here.
#include "engine/job/decide_parts.h"
#include "engine/job/input_events.h"
#include "engine/job/job_removal.h"

namespace luzia {

using St = schema::JobState;

Result<std::vector<NewEvent>> decide(const JobState& state, JobCommand&& command, TimeUs now) {
  if (auto* queue = std::get_if<QueueJob>(&command)) return decide_command(state, std::move(*queue), now);
  return decide(state, std::as_const(command), now);
}

Result<std::vector<NewEvent>> decide(const JobState& state, const JobCommand& command, TimeUs now) {
  const bool begins = std::holds_alternative<QueueJob>(command) || std::holds_alternative<ImportJob>(command);
  if (state.job.empty() && !begins) return refuse_unknown(state.job);
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

NewEvent retried_at_terminal(const JobState& state, const schema::TerminalRunT& run, std::string note) {
  NewEvent event = retried(state, 0, false, std::move(note));
  event.payload.AsJobEvent()->fact.AsJobRetried()->at_terminal = std::make_unique<schema::TerminalRunT>(run);
  return event;
}

}  // namespace luzia
