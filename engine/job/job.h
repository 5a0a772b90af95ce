// The job: its state, the commands that change it, and the two pure functions of its life.
// No clock, I/O, randomness or logging here: time, ids and salts are in the command.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "engine/job/inputs.h"
#include "view.fb.h"

namespace luzia {

/// The decider's state of one job; also the row of core view live_jobs. An empty `job` = no such job yet.
using JobState = view::LiveJobT;

/// Commands. Every one is decided against the job's present state and either returns events or is refused.
struct QueueJob {
  std::string job;
  schema::JobSpecT spec;
  std::uint8_t priority = 5;
  std::vector<std::string> after;  // only jobs that are not yet completed
  TimeUs not_before = 0;           // 0: as soon as its turn comes
  std::optional<Blob> prompt, env;
};
/// A job of another tool that has ended already; one that is known changes nothing.
struct ImportJob {
  schema::JobImportedT fact;  // without `prompt`
  Blob prompt;
};
struct StartAttempt {
  std::string boot_id;
};
struct ReportStarted {
  std::uint32_t attempt;
  std::uint32_t pid, runner_pid;
  std::uint64_t pid_start, runner_start;
};
/// The end of an attempt as luzia-run recorded it, or as it follows from its absence (`lost`).
struct RecordExit {
  schema::AttemptEndedT end;
  std::optional<schema::EndReason> lost_because;  // with end.evidence_lost
  bool from_copy = false;                         // the record itself is gone: as exit.json says
};
struct ReportRunnerGone {
  std::uint32_t attempt;
  std::uint32_t survivor = 0;  // pid of a process of the agent's group that lives on; 0: the agent itself
};
struct CancelJob {
  std::optional<std::uint64_t> grace_ms;
  std::string note;
  schema::StopReason reason = schema::StopReason::cancelled;
};
struct RetryJob {
  std::string note;
  bool automatic = false;
  /// A fix of an issue is tried first, by another job: the retry waits for it.
  struct Fix {
    std::string fingerprint, pattern, job;
  };
  std::optional<Fix> fix = {};
};
struct HoldJob {
  std::string note;
};
struct ReleaseJob {
  std::string note;
};
struct PauseJob {
  std::string note;
};
struct ResumeJob {
  std::string note;
};
struct ReprioritizeJob {
  std::uint8_t priority;
};
/// For queued jobs; 0 = as soon as its turn comes.
struct RescheduleJob {
  TimeUs not_before;
  std::string note;
};
/// A moment that the state waits for has come; `now` of the command decides which.
struct DeadlineReached {
  double warn_fraction = 0;  // next_deadline()
};
/// A job named in `after` came to an end.
struct ReportDependency {
  std::string job;
  schema::JobState state;
};
/// The wall clock stepped by so much: moments that were counted from another one move with it.
struct ShiftDeadlines {
  TimeUs by;
};
/// What was read from output.log, from the recorded offset on (design: Watching).
struct RecordOutput {
  std::uint32_t attempt;
  std::uint64_t from;
  std::uint32_t from_generation;
  std::optional<schema::OutputAppendedT> appended;
  std::optional<schema::OutputRestartedT> restarted;  // before `appended`
  struct Finding {
    std::variant<schema::OutputFactUnion, schema::ReportFactUnion, schema::ToolFactUnion,
                 schema::UsageFactUnion, schema::IssueFactUnion>
        fact;
    schema::EvidenceT evidence;
  };
  std::vector<Finding> findings;
  /// When the last of it was written, at the latest; 0: unknown. By the file, whose owner may set any time.
  TimeUs written_us = 0;
};
/// One of the seven kinds, from the agent, a script or a person.
struct PublishReport {
  std::uint32_t attempt = 0;  // 0: whichever is current; otherwise a stale one is refused
  schema::ReportFactUnion report;
};
/// The daemon's own warnings about an attempt; the values are bits of JobState::warned and stay.
enum class WarningKind : std::uint8_t { duration = 0, silence = 1, output_loop = 2, output_flood = 3 };
/// What a monitor saw. Nothing follows when the attempt is over, or was warned about in this way already and
/// nothing else is to be done: `ask` puts a question to people (kKeepWaiting, kStopIt) unless one is open,
/// `stop` stops the attempt politely. Both are of silence, and moot while the job waits or is being stopped.
struct WarnJob {
  std::uint32_t attempt = 0;
  WarningKind kind = WarningKind::silence;
  std::string message;         // what, and since when
  std::string recommendation;  // what to do
  std::optional<schema::EvidenceT> evidence = {};
  std::optional<AskQuestion> ask = {};
  bool stop = false;
};

/// What became of the files that the job works on.
struct NoteWorkspace {
  schema::WorkspaceFactUnion fact;
  std::optional<schema::EvidenceT> evidence = {};  // unset: asserted
};

/// What an attempt was told, by which template. Nothing follows when the attempt is over.
struct NotePrompt {
  schema::PromptBuiltT fact;
};

/// An erasable text in the log: which of its event.
struct TextPlace {
  Position event = 0;
  std::uint32_t index = 0;
};
/// Takes an ended job out of every list; its directory goes with it, unless another tool has made it. `purge`
/// erases `texts` too: those of the job that no BlobErased tells of yet, as far as they fit one command (the
/// same again erases the others). One that is removed already changes nothing, unless texts are left.
struct RemoveJob {
  bool purge = false;
  std::string note;
  std::vector<TextPlace> texts = {};
  std::uint64_t seen_version = 0;  // of the stream when `texts` were looked up
};

using JobCommand =
    std::variant<QueueJob, ImportJob, StartAttempt, ReportStarted, RecordExit, ReportRunnerGone, CancelJob,
                 RetryJob, HoldJob, ReleaseJob, PauseJob, ResumeJob, ReprioritizeJob, RescheduleJob,
                 DeadlineReached, ReportDependency, ShiftDeadlines, RecordOutput, PublishReport, WarnJob,
                 AskQuestion, AnswerQuestion, CancelQuestion, RequestApproval, DecideApproval, CancelApproval,
                 ConfirmDelivery, NoteWorkspace, NotePrompt, RemindOfInput, RemoveJob>;

/// Events that `command` leads to (none: nothing to do), or why it is refused. Does not change anything.
Result<std::vector<NewEvent>> decide(const JobState& state, const JobCommand& command, TimeUs now);
/// The same, but what is large is taken out of the command instead of copied.
Result<std::vector<NewEvent>> decide(const JobState& state, JobCommand&& command, TimeUs now);

/// The state after `event` of this job's stream.
void evolve(JobState& state, const schema::Event& event);
/// The same after a JobQueued whose parts are still at hand: saves unpacking what was packed a moment ago.
void evolve_queued(JobState& state, schema::JobQueuedT fact, std::uint64_t version, Position position,
                   TimeUs time);

/// The earliest moment at which DeadlineReached has something to do; 0 = none. `warn_fraction`: an attempt
/// that has used up so much of its estimate or time limit is warned about; 0 = none is.
TimeUs next_deadline(const JobState& state, double warn_fraction = 0);

/// What the outside must do for this state. Idempotent, recomputed after a crash.
/// `deliver_answer`: to a file of the agent's, as its question came; `input` names the request.
enum class EffectKind { launch, stop_politely, stop_by_force, pause_group, continue_group, deliver_answer };
struct Effect {
  EffectKind kind;
  std::string job;
  std::uint32_t attempt;
  std::string input = {};
  bool operator==(const Effect&) const = default;
};
std::vector<Effect> pending_effects(const JobState& state);

}  // namespace luzia
