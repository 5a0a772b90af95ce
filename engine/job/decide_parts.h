// The parts of decide(), one per command; private to engine/job.
#pragma once

#include <utility>

#include "engine/job/job.h"

namespace luzia {

using Events = std::vector<NewEvent>;
using Decided = Result<Events>;

inline Events one(NewEvent event) {
  Events events;
  events.push_back(std::move(event));
  return events;
}

tl::unexpected<Error> refuse_unknown(const std::string& job);
/// Whether messages of this attempt come too late: it is not the present one, or a retry waits for its start.
bool is_stale(const JobState& state, std::uint32_t attempt);

/// Whether a process of its attempt lives, or is about to.
bool has_process(const JobState& state);

tl::unexpected<Error> refuse_ended(const JobState& state, const std::string& what);
/// The job is to run once more, not before that moment.
NewEvent retried(const JobState& state, TimeUs not_before, bool automatic, std::string note);

Decided decide_queue(const JobState& state, QueueJob command);
Decided decide_import(const JobState& state, const ImportJob& command);
Decided decide_start(const JobState& state, const StartAttempt& command);
Decided decide_started(const JobState& state, const ReportStarted& command);
Decided decide_exit(const JobState& state, const RecordExit& command, TimeUs now);
Decided decide_runner_gone(const JobState& state, const ReportRunnerGone& command);
Decided decide_cancel(const JobState& state, const CancelJob& command, TimeUs now);
Decided decide_retry(const JobState& state, const RetryJob& command);
Decided decide_hold(const JobState& state, const HoldJob& command);
Decided decide_release(const JobState& state, const ReleaseJob& command);
Decided decide_pause(const JobState& state, const PauseJob& command);
Decided decide_resume(const JobState& state, const ResumeJob& command);
Decided decide_reprioritize(const JobState& state, const ReprioritizeJob& command);
Decided decide_reschedule(const JobState& state, const RescheduleJob& command);
Decided decide_deadline(const JobState& state, const DeadlineReached& command, TimeUs now);
Decided decide_dependency(const JobState& state, const ReportDependency& command);
Decided decide_shift(const JobState& state, const ShiftDeadlines& command, TimeUs now);
Decided decide_output(const JobState& state, const RecordOutput& command);
Decided decide_publish(const JobState& state, const PublishReport& command);
Decided decide_ask(const JobState& state, const AskQuestion& command);
Decided decide_answer(const JobState& state, const AnswerQuestion& command, TimeUs now);
Decided decide_cancel_question(const JobState& state, const CancelQuestion& command, TimeUs now);
Decided decide_request(const JobState& state, const RequestApproval& command);
Decided decide_approval(const JobState& state, const DecideApproval& command, TimeUs now);
Decided decide_cancel_approval(const JobState& state, const CancelApproval& command, TimeUs now);
Decided decide_delivery(const JobState& state, const ConfirmDelivery& command);
Decided decide_remind(const JobState& state, const RemindOfInput& command);
Decided decide_workspace(const JobState& state, const NoteWorkspace& command);
Decided decide_prompt(const JobState& state, const NotePrompt& command);
Decided decide_remove(const JobState& state, const RemoveJob& command);
Decided decide_warn(const JobState& state, const WarnJob& command, TimeUs now);

}  // namespace luzia
