// The parts of decide(), one for each type of command. Private to engine/job.
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
/// Whether messages of this attempt come too late: it is not the current one, or a retry is queued.
bool is_stale(const JobState& state, std::uint32_t attempt);

/// What one can do about a tracked job instead of what was refused.
std::string hint_for_tracked(const JobState& state);

NewEvent ended_job(const JobState& state, schema::JobState end_state, schema::EndReason reason,
                   std::string detail, bool retriable = false);
/// Politely stops the attempt. `grace_ms` unset: the job's own.
NewEvent stop_request(const JobState& state, schema::StopReason reason, std::string note = {},
                      std::optional<std::uint64_t> grace_ms = {});

tl::unexpected<Error> refuse_ended(const JobState& state, const std::string& what);
/// Queues the job once more, not before that moment.
NewEvent retried(const JobState& state, TimeUs not_before, bool automatic, std::string note);
/// The same at once, in a person's terminal.
NewEvent retried_at_terminal(const JobState& state, const schema::TerminalRunT& run, std::string note);

Decided decide_command(const JobState& state, QueueJob command, TimeUs now);
Decided decide_command(const JobState& state, const ImportJob& command, TimeUs now);
Decided decide_command(const JobState& state, const TrackTask& command, TimeUs now);
Decided decide_command(const JobState& state, const TrackWork& command, TimeUs now);
Decided decide_command(const JobState& state, const ReportTrackedGone& command, TimeUs now);
Decided decide_command(const JobState& state, const UntrackJob& command, TimeUs now);
Decided decide_command(const JobState& state, const StartAttempt& command, TimeUs now);
Decided decide_command(const JobState& state, const ReportStarted& command, TimeUs now);
Decided decide_command(const JobState& state, const RecordExit& command, TimeUs now);
Decided decide_command(const JobState& state, const ReportRunnerGone& command, TimeUs now);
Decided decide_command(const JobState& state, const CancelJob& command, TimeUs now);
Decided decide_command(const JobState& state, const RetryJob& command, TimeUs now);
Decided decide_command(const JobState& state, const AttachJob& command, TimeUs now);
Decided decide_command(const JobState& state, const HoldJob& command, TimeUs now);
Decided decide_command(const JobState& state, const ReleaseJob& command, TimeUs now);
Decided decide_command(const JobState& state, const PauseJob& command, TimeUs now);
Decided decide_command(const JobState& state, const ResumeJob& command, TimeUs now);
Decided decide_command(const JobState& state, const ReprioritizeJob& command, TimeUs now);
Decided decide_command(const JobState& state, const RescheduleJob& command, TimeUs now);
Decided decide_command(const JobState& state, const DeadlineReached& command, TimeUs now);
Decided decide_command(const JobState& state, const ReportDependency& command, TimeUs now);
Decided decide_command(const JobState& state, const ShiftDeadlines& command, TimeUs now);
Decided decide_command(const JobState& state, const RecordOutput& command, TimeUs now);
Decided decide_command(const JobState& state, const PublishReport& command, TimeUs now);
Decided decide_command(const JobState& state, const AskQuestion& command, TimeUs now);
Decided decide_command(const JobState& state, const AnswerQuestion& command, TimeUs now);
Decided decide_command(const JobState& state, const CancelQuestion& command, TimeUs now);
Decided decide_command(const JobState& state, const RequestApproval& command, TimeUs now);
Decided decide_command(const JobState& state, const DecideApproval& command, TimeUs now);
Decided decide_command(const JobState& state, const CancelApproval& command, TimeUs now);
Decided decide_command(const JobState& state, const ConfirmDelivery& command, TimeUs now);
Decided decide_command(const JobState& state, const RemindOfInput& command, TimeUs now);
Decided decide_command(const JobState& state, const NoteWorkspace& command, TimeUs now);
Decided decide_command(const JobState& state, const NotePrompt& command, TimeUs now);
Decided decide_command(const JobState& state, const RemoveJob& command, TimeUs now);
Decided decide_command(const JobState& state, const ExpireFiles& command, TimeUs now);
Decided decide_command(const JobState& state, const RerouteJob& command, TimeUs now);
Decided decide_command(const JobState& state, const WarnJob& command, TimeUs now);
Decided decide_command(const JobState& state, const StopAtLimit& command, TimeUs now);
Decided decide_command(const JobState& state, const TellJob& command, TimeUs now);
Decided decide_command(const JobState& state, const ReadTold& command, TimeUs now);
Decided decide_command(const JobState& state, const ReportHosts& command, TimeUs now);

}  // namespace luzia
