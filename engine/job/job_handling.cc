// decide: what people do with jobs: queue, hold, pause, retry, reorder.
#include <algorithm>

#include "engine/base/durations.h"
#include "engine/job/decide_parts.h"
#include "engine/job/input_events.h"
#include "engine/job/input_state.h"
#include "engine/job/issue_fixes.h"
#include "engine/job/job_budget.h"
#include "engine/job/job_ending.h"
#include "engine/job/job_removal.h"

namespace luzia {

using schema::EndReason;
using St = schema::JobState;

Decided decide_command(const JobState& state, QueueJob command, TimeUs now) {
  if (!state.job.empty()) {
    return fail(ErrorKind::refused, "job_exists", "job " + command.job + " exists already");
  }
  if (command.priority > 9) {
    return fail(ErrorKind::usage, "bad_priority",
                "priority " + std::to_string(command.priority) + " is out of range", "use 0 to 9, 9 first");
  }
  schema::JobQueuedT fact;
  fact.job = command.job;
  fact.spec = std::make_unique<schema::JobSpecT>(std::move(command.spec));
  fact.priority = command.priority;
  fact.after = std::move(command.after);
  fact.not_before_us = command.not_before;
  fact.enqueued_us = command.enqueued == 0 ? 0 : std::min(command.enqueued, now);
  fact.enqueued_by = std::move(command.enqueued_by);
  fact.skill_match = std::move(command.skill_match);
  if (command.prompt) fact.prompt = std::make_unique<schema::BlobRefT>(blob_ref(*command.prompt));
  if (command.env) fact.env = std::make_unique<schema::BlobRefT>(blob_ref(*command.env));
  std::vector<Blob> blobs;
  for (auto* blob : {&command.prompt, &command.env}) {
    if (*blob) blobs.push_back(std::move(**blob));
  }
  for (Blob& blob : command.fallback_envs) blobs.push_back(std::move(blob));
  Events events;
  events.push_back(job_event(command.job, std::move(fact)));
  events.back().blobs = std::move(blobs);
  if (command.order.empty()) return events;
  schema::JobHeldT held;
  held.note = "until the fleet accepts order " + order_id(command.order);
  held.order = std::move(command.order);
  events.push_back(job_event(command.job, std::move(held)));
  return events;
}

Decided decide_command(const JobState& state, const ImportJob& command, TimeUs /*now*/) {
  if (!state.job.empty()) return Events{};
  schema::JobImportedT fact = command.fact;
  fact.prompt = std::make_unique<schema::BlobRefT>(blob_ref(command.prompt));
  const std::string job = fact.job;
  Events events = one(job_event(job, std::move(fact)));
  events.back().blobs.push_back(command.prompt);
  return events;
}

namespace {

tl::unexpected<Error> refuse_spent(const JobState& state, const std::string& budget,
                                   const std::string& verb = "retry") {
  return fail(ErrorKind::refused, "budget_spent",
              "cannot " + verb + " job " + state.job + ": its attempts have used up its budget of " + budget,
              "dispatch it again, with a greater --budget-time, --budget-tokens or --budget-cost");
}

/// A person lets a parked job continue, before or after its usage limit is reset.
Decided unpark(const JobState& state, const std::string& note) {
  if (const std::string budget = used_up_budget(state); !budget.empty()) return refuse_spent(state, budget);
  return one(job_event(state.job, schema::JobUnparkedT{{}, note}));
}

/// Another machine may be about to run it.
tl::unexpected<Error> refuse_held_for_order(const JobState& state, const std::string& verb) {
  return fail(ErrorKind::refused, "held_for_order",
              "cannot " + verb + " job " + state.job + ": it is held until the fleet accepts order " +
                  order_id(state.order),
              "luzia-fleet releases or cancels it; luzia cancel " + state.job + " ends it now");
}

bool asks_anything(const JobState& state) {
  return std::ranges::any_of(state.inputs, [](const auto& input) { return is_open(*input); });
}

/// What a person can do with a job whose session cannot be opened.
std::string instead_of_attaching(const JobState& state) {
  for (const auto& input : state.inputs) {
    if (!is_open(*input)) continue;
    return input->kind == view::InputKind::question
               ? "luzia answer " + state.job + " (luzia questions " + state.job + " shows what it asks)"
               : "luzia approve " + state.job + " (luzia approvals " + state.job + " shows what it asks)";
  }
  return "luzia retry " + state.job + " runs it again; luzia logs " + state.job + " shows what it printed";
}

/// Why the job's session cannot be opened in a terminal.
Status can_attach(const JobState& state, const AttachJob& command) {
  const std::string what = "cannot attach to job " + state.job + ": ";
  const bool over = is_terminal(state.state), lives = has_process(state);
  if (state.removed) return refuse_removed(state, "attach to");
  LUZIA_TRY(has_directory(state, "attach to"));
  if (state.end_reason == EndReason::imported) {
    return fail(ErrorKind::refused, "imported_job",
                what + "it was imported from another tool and never ran here",
                "luzia retry " + state.job + " dispatches its task as a new job");
  }
  if (lives && state.stop_requested) {
    return fail(ErrorKind::refused, "being_stopped", what + "it is being stopped",
                "wait for its end: luzia wait " + state.job);
  }
  if (!over && !asks_anything(state)) {
    const bool works = lives && state.pid != 0;
    return fail(
        ErrorKind::refused, "not_asking",
        what + (works ? "it has no terminal, and it works without asking anything"
                      : "it does not run (" + std::string(schema::EnumNameJobState(state.state)) + ")"),
        works ? "luzia logs -f " + state.job +
                    " shows its output; jobs get a terminal from --fg and from luzia work on"
              : "luzia wait --until running " + state.job + ", or luzia why " + state.job);
  }
  if (command.run.command.empty() || state.session_id.empty()) {
    return fail(
        ErrorKind::refused, "no_session",
        what + (over ? "it has ended" : "it has no terminal") + ", and " +
            (command.run.command.empty() ? "agent '" + state.spec->agent + "' cannot open its session in one"
                                         : "its agent has named no session that could be opened in one"),
        instead_of_attaching(state));
  }
  if (const std::string budget = used_up_budget(state); !budget.empty()) {
    return refuse_spent(state, budget, "attach to");
  }
  if (!lives || command.stop) return {};
  return fail(ErrorKind::refused, "process_lives",
              what + "its agent waits for an answer, and would have to be stopped first",
              "--yes stops it and opens its session here; or " + instead_of_attaching(state));
}

/// Records an event that sets or clears a flag, if the job has not ended and the flag differs.
template <class Fact>
Decided flag(const JobState& state, bool already, const std::string& verb, const std::string& note) {
  if (is_terminal(state.state)) return refuse_ended(state, verb);
  if (already) return Events{};
  Fact fact;
  fact.note = note;
  return one(job_event(state.job, std::move(fact)));
}

}  // namespace

Decided decide_command(const JobState& state, const RetryJob& command, TimeUs /*now*/) {
  if (state.removed) return refuse_removed(state, "retry");
  LUZIA_TRY(has_directory(state, "retry"));
  if (state.state == St::parked && (command.fresh || command.message)) {
    return fail(ErrorKind::refused, "parked",
                "cannot retry job " + state.job + (command.fresh ? " in a new session" : " with a message") +
                    ": it waits for a usage limit to reset",
                "luzia retry " + state.job + " goes on in its session; or luzia cancel it first");
  }
  if (state.state == St::parked) return unpark(state, command.note);
  if (state.end_reason == EndReason::imported) {
    return fail(ErrorKind::refused, "imported_job",
                "cannot retry job " + state.job + ": it was imported from another tool and never ran here",
                "luzia retry " + state.job + " dispatches its task as a new job");
  }
  if (!is_terminal(state.state)) {
    return fail(ErrorKind::refused, "not_ended",
                "cannot retry job " + state.job + ": it has not ended (" +
                    schema::EnumNameJobState(state.state) + ")",
                "luzia cancel " + state.job + " ends it first");
  }
  if (const std::string budget = used_up_budget(state); !budget.empty()) return refuse_spent(state, budget);
  if (!command.fix) {
    Events events = one(retried(state, 0, command.automatic, command.note));
    schema::JobRetriedT& fact = *events.back().payload.AsJobEvent()->fact.AsJobRetried();
    fact.fresh = command.fresh;
    if (command.message) {
      fact.message = std::make_unique<schema::BlobRefT>(blob_ref(*command.message));
      events.back().blobs.push_back(*command.message);
    }
    return events;
  }
  Events events = one(fix_started(state, *command.fix));
  events.push_back(retried(state, 0, command.automatic, command.note));
  events.back().payload.AsJobEvent()->fact.AsJobRetried()->after = {command.fix->job};
  return events;
}

Decided decide_command(const JobState& state, const AttachJob& command, TimeUs /*now*/) {
  LUZIA_TRY(can_attach(state, command));
  const std::string note = "attached by " + command.by;
  Events events;
  cancel_open_inputs(state, note, events);
  if (state.held) events.push_back(job_event(state.job, schema::JobReleasedT{{}, note}));
  if (!has_process(state)) {
    events.push_back(retried_at_terminal(state, command.run, note));
    return events;
  }
  schema::StopRequestedT stop;
  stop.attempt = state.attempt;
  stop.reason = schema::StopReason::attached;
  stop.grace_ms = state.spec->kill_grace_ms;
  stop.note = note;
  stop.then = std::make_unique<schema::TerminalRunT>(command.run);
  events.push_back(job_event(state.job, std::move(stop)));
  return events;
}

Decided decide_command(const JobState& state, const HoldJob& command, TimeUs /*now*/) {
  if (has_process(state)) {
    return fail(ErrorKind::refused, "already_started",
                "cannot hold job " + state.job + ": it has started already",
                "luzia pause " + state.job + " stops its processes for a while");
  }
  return flag<schema::JobHeldT>(state, state.held, "hold", command.note);
}

Decided decide_command(const JobState& state, const ReleaseJob& command, TimeUs /*now*/) {
  if (!command.order.empty() && state.order.empty()) return Events{};  // it was released before
  if (command.order != state.order) return refuse_held_for_order(state, "release");
  return flag<schema::JobReleasedT>(state, !state.held, "release", command.note);
}

Decided decide_command(const JobState& state, const PauseJob& command, TimeUs /*now*/) {
  const bool live = !is_terminal(state.state);
  if (live && state.stop_requested) {
    return fail(ErrorKind::refused, "not_running", "cannot pause job " + state.job + ": it is being stopped");
  }
  // A job without a process is kept from starting one: for a person that is the same.
  if (live && !has_process(state)) return flag<schema::JobHeldT>(state, state.held, "pause", command.note);
  return flag<schema::JobPausedT>(state, state.paused, "pause", command.note);
}

Decided decide_command(const JobState& state, const ResumeJob& command, TimeUs /*now*/) {
  if (!state.order.empty()) return refuse_held_for_order(state, "resume");
  const bool parked = state.state == St::parked;
  Events resumed =
      LUZIA_TRY(parked ? unpark(state, command.note)
                       : flag<schema::JobResumedT>(state, !state.paused, "resume", command.note));
  if (!state.held) return resumed;
  Events events = LUZIA_TRY(flag<schema::JobReleasedT>(state, false, "resume", command.note));
  for (NewEvent& event : resumed) events.push_back(std::move(event));
  return events;
}

Decided decide_command(const JobState& state, const ReprioritizeJob& command, TimeUs /*now*/) {
  if (is_terminal(state.state)) return refuse_ended(state, "edit");
  if (command.priority > 9) {
    return fail(ErrorKind::usage, "bad_priority",
                "priority " + std::to_string(command.priority) + " is out of range", "use 0 to 9, 9 first");
  }
  if (command.priority == state.priority) return Events{};
  return one(job_event(state.job, schema::JobReprioritizedT{{}, command.priority}));
}

Decided decide_command(const JobState& state, const RescheduleJob& command, TimeUs /*now*/) {
  if (is_terminal(state.state)) return refuse_ended(state, "reschedule");
  if (state.state != St::queued) {
    return fail(ErrorKind::refused, "already_started",
                "cannot reschedule job " + state.job + ": it has started already");
  }
  if (command.not_before == state.not_before_us) return Events{};
  return one(job_event(state.job, schema::JobRescheduledT{{}, command.not_before, command.note}));
}

}  // namespace luzia
