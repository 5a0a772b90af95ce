// The job: its state, the commands that change it, and decide() and evolve(), the two pure functions of its
// life. No clock, I/O, randomness or logging: time, ids and salts come in the command. Any thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "engine/job/inputs.h"
#include "engine/job/told.h"
#include "view.fb.h"

namespace luzia {

/// The decider's state of one job, and the row of the core view live_jobs. An empty `job`: there is no such
/// job yet.
using JobState = view::LiveJobT;

/// Commands. Each is decided against the job's present state and returns events or a refusal.
struct QueueJob {
  std::string job;
  schema::JobSpecT spec;
  std::uint8_t priority = 5;
  std::vector<std::string> after;  // jobs to wait for; only those that have not completed yet
  TimeUs not_before = 0;           // 0: as soon as the scheduler starts it
  std::optional<Blob> prompt, env;
  std::vector<Blob> fallback_envs = {};  // those that JobSpec.env of its fallbacks refer to
  TimeUs enqueued = 0;  // of a job from another tool's queue: when it was queued there; 0: now
  std::string enqueued_by = {}, skill_match = {};
  std::string order = {};  // as in JobHeld: it is held from the beginning
};
/// Imports a job of another tool that has already ended. No effect if the job is known.
struct ImportJob {
  schema::JobImportedT fact;  // without `prompt`
  Blob prompt;
};
/// Begins a job for a task that Luzia did not dispatch: reports can be published about it, and nothing else
/// can be done to it. A published TaskCompleted or TaskFailed ends it.
struct TrackTask {
  std::string job;
  schema::JobSpecT spec;
  std::string task_id;
  Blob prompt;
  schema::TaskStartedT started;
};
/// Begins a job for an existing process, a log file, or both. `fact` is without `prompt`, and names at least
/// one of them. Unlike a TrackTask, its log is read, and it also ends with its process or by UntrackJob.
struct TrackWork {
  schema::JobTrackedT fact;
  Blob prompt;
};
/// The process of a tracked job is gone, and its log is read to the end. No effect if the job is over.
struct ReportTrackedGone {
  std::string detail;
  std::string last_line;  // of the log; <= 512 bytes
};
/// Stops watching a process or a log; neither is touched. CancelJob does the same to such a job. Refused with
/// `not_watched` for any other job.
struct UntrackJob {
  std::string note;
  std::string last_line = {};  // as in ReportTrackedGone
};
struct StartAttempt {
  std::string boot_id;
};
struct ReportStarted {
  std::uint32_t attempt;
  std::uint32_t pid, runner_pid;
  std::uint64_t pid_start, runner_start;
  std::string cgroup = {}, limits_not_held = {};  // as in AttemptLimited
};
/// The end of an attempt, as luzia-run recorded it or as inferred because luzia-run is gone.
struct RecordExit {
  schema::AttemptEndedT end;
  std::optional<schema::EndReason> lost_because;  // with end.evidence_lost
  bool from_copy = false;                         // the exit record is gone: read from exit.json
  std::optional<Blob> report = {};                // of a failed verification: what the agent is told
  bool no_secret = false;                         // end.start_error is about a secret that cannot be read
};
struct ReportRunnerGone {
  std::uint32_t attempt;
  std::uint32_t survivor = 0;  // pid of a process in the agent's group that still lives; 0: the agent itself
};
struct CancelJob {
  std::optional<std::uint64_t> grace_ms;
  std::string note;
  schema::StopReason reason = schema::StopReason::cancelled;
  std::string last_line = {};  // of a tracked job, as in ReportTrackedGone
};
struct RetryJob {
  std::string note;
  bool automatic = false;
  /// Another job tries a fix of an issue first; the retry waits for it.
  struct Fix {
    std::string fingerprint, pattern, job;
  };
  std::optional<Fix> fix = {};
  bool fresh = false;  // in a new session of the agent
  /// What a person tells the agent. `parked`: not while it waits for a usage limit.
  std::optional<Blob> message = {};
};
/// Stops an attempt at once, because it uses more than it may. `reason`: one of the last four. No effect if
/// the attempt is over or being killed. A polite stop that is under way becomes a forced one, for its own
/// reason.
/// Goes on with another of its agents. No effect while an attempt is under way, or if it has that agent.
struct RerouteJob {
  std::uint32_t to = 0;  // as in JobRerouted
  std::string note;
};
struct StopAtLimit {
  std::uint32_t attempt = 0;
  schema::StopReason reason = schema::StopReason::memory_limit;
  std::uint64_t used = 0;                         // bytes, or processes and threads
  std::vector<schema::ProcessUseT> largest = {};  // at most five, largest first
  std::uint64_t free_memory = 0;                  // memory_pressure: what the machine had left, in bytes
};
/// What an attempt with a list of hosts asked for. Hosts are in the order of their first contact, all of them
/// each time. No effect if there is nothing new, unless the attempt is `over`; nor once its total is
/// recorded.
struct ReportHosts {
  std::uint32_t attempt = 0;
  std::vector<schema::HostUseT> hosts = {};
  std::uint64_t more = 0;  // contacts with further hosts
  bool over = false;
};
/// Opens the session of the job's agent in a terminal, as the next attempt. What the job asks is cancelled:
/// the person talks to the agent itself. Refused with:
/// - `not_asking`: the job has neither ended nor asks anything.
/// - `no_session`: its agent has named no session, or none can be opened in a terminal (no `run.command`).
/// - `process_lives`: it would have to be stopped, and `stop` is not set.
/// - `budget_spent`, `being_stopped`
struct AttachJob {
  std::string by;  // for people
  schema::TerminalRunT run;
  bool stop = false;  // stops the process that asks first, politely
};
struct HoldJob {
  std::string note;
};
/// `held_for_order` (refused): the job is held for an order of a fleet, and `order` is not that one.
struct ReleaseJob {
  std::string note;
  std::string order = {};
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
/// Moves a queued job; 0: as soon as the scheduler starts it.
struct RescheduleJob {
  TimeUs not_before;
  std::string note;
};
/// A moment that the state waits for has come. The command's `now` decides which.
struct DeadlineReached {
  double warn_fraction = 0;  // as for next_deadline()
};
/// A job named in `after` has ended.
struct ReportDependency {
  std::string job;
  schema::JobState state;
};
/// The wall clock was stepped by `by`. Moments that were counted from an earlier moment move with it; moments
/// that a person named and resets of usage limits do not.
struct ShiftDeadlines {
  TimeUs by;
};
/// What was read from output.log from the recorded offset on.
struct RecordOutput {
  std::uint32_t attempt;
  std::uint64_t from;
  std::uint32_t from_generation;
  std::optional<schema::OutputAppendedT> appended;
  std::optional<schema::OutputRestartedT> restarted;  // applies before `appended`
  struct Finding {
    std::variant<schema::OutputFactUnion, schema::ReportFactUnion, schema::ToolFactUnion,
                 schema::UsageFactUnion, schema::IssueFactUnion>
        fact;
    schema::EvidenceT evidence;
  };
  std::vector<Finding> findings;
  /// Latest time at which the last of it was written; 0: unknown. Taken from the file, whose owner can set
  /// any time.
  TimeUs written_us = 0;
};
/// One of the seven kinds of reports, from the agent, a script or a person.
struct PublishReport {
  std::uint32_t attempt = 0;  // 0: the current one; any other is refused if it is stale
  schema::ReportFactUnion report;
  std::string last_line = {};  // of a tracked job that it ends, as in ReportTrackedGone
};
/// The daemon's own warnings about an attempt. The values are bit numbers in the stored JobState::warned:
/// never change them.
enum class WarningKind : std::uint8_t {
  duration = 0,
  silence = 1,
  output_loop = 2,
  output_flood = 3,
  all_denied = 4,
  login_failed = 5
};
/// What a monitor noticed about an attempt. No effect if the attempt is over, or if it was already warned in
/// this way and neither `ask` nor `stop` leads to anything.
/// - `ask` asks people whether to go on (kKeepWaiting, kStopIt), unless that question is open already.
/// - `stop` stops the attempt politely.
///
/// Both are for silence only. They have no effect while the job waits, is paused or is being stopped.
struct WarnJob {
  std::uint32_t attempt = 0;
  WarningKind kind = WarningKind::silence;
  std::string message;         // what was noticed, and since when
  std::string recommendation;  // what a person can do
  std::optional<schema::EvidenceT> evidence = {};
  std::optional<AskQuestion> ask = {};
  bool stop = false;
};

/// What happened to the files that the job works on.
struct NoteWorkspace {
  schema::WorkspaceFactUnion fact;
  std::optional<schema::EvidenceT> evidence = {};  // unset: asserted
};

/// What an attempt was told, and by which template. No effect if the attempt is over.
struct NotePrompt {
  schema::PromptBuiltT fact;
};

/// Names an erasable text in the log: its event, and its index in that event.
struct TextPlace {
  Position event = 0;
  std::uint32_t index = 0;
};
/// Removes an ended job from every list, and its directory with it, unless another tool made the directory.
/// `purge` also erases `texts`: the job's texts without a BlobErased event, as many as fit one command.
/// Repeat the command to erase the rest. No effect if the job is removed already and no texts are left.
struct RemoveJob {
  bool purge = false;
  std::string note;
  std::vector<TextPlace> texts = {};
  std::uint64_t seen_version = 0;  // version of the stream when `texts` were looked up
};

/// Lets go of the files of an ended job, which stays in the lists: of its output, or of its whole directory,
/// without which it cannot be retried. No effect if the job is removed, if its directory went before, or if
/// another tool made it.
struct ExpireFiles {
  schema::KeptFiles files = schema::KeptFiles::output;
  std::string rule;         // "outputs = 30d"
  std::uint64_t bytes = 0;  // about to be freed
};
/// The value of JobSpec.job_dir after its directory expired: no path, so that nothing takes it for one.
inline constexpr std::string_view kExpiredJobDir = "(expired)";

using JobCommand =
    std::variant<QueueJob, ImportJob, TrackTask, TrackWork, ReportTrackedGone, UntrackJob, StartAttempt,
                 ReportStarted, RecordExit, ReportRunnerGone, CancelJob, RetryJob, HoldJob, ReleaseJob,
                 PauseJob, ResumeJob, ReprioritizeJob, RescheduleJob, DeadlineReached, ReportDependency,
                 ShiftDeadlines, RecordOutput, PublishReport, WarnJob, AskQuestion, AnswerQuestion,
                 CancelQuestion, RequestApproval, DecideApproval, CancelApproval, ConfirmDelivery,
                 NoteWorkspace, NotePrompt, RemindOfInput, RemoveJob, ExpireFiles, AttachJob, StopAtLimit,
                 RerouteJob, TellJob, ReadTold, ReportHosts>;

/// Whether the command begins a job, which must not exist yet.
bool begins_job(const JobCommand& command);

/// Whether Luzia never ran the job: it was imported or is tracked. Its process and files belong to others.
inline bool is_foreign(const JobState& state) {
  return state.tracked || state.end_reason == schema::EndReason::imported;
}

/// Whether the job's process or log was put under watch: it is tracked, and more is known of it than what is
/// published.
inline bool is_watched(const JobState& state) {
  return state.tracked && (state.pid != 0 || !state.log.empty());
}

/// The events that `command` leads to (none: nothing to do), or why it is refused. Changes nothing.
Result<std::vector<NewEvent>> decide(const JobState& state, const JobCommand& command, TimeUs now);
/// The same, but moves large parts out of the command instead of copying them.
Result<std::vector<NewEvent>> decide(const JobState& state, JobCommand&& command, TimeUs now);

/// Changes the state by one event of this job's stream.
void evolve(JobState& state, const schema::Event& event);
/// The same for a JobQueued whose fact is still at hand: saves unpacking it again.
void evolve_queued(JobState& state, schema::JobQueuedT fact, std::uint64_t version, Position position,
                   TimeUs time);

/// Whether a process of its attempt lives or is about to be started.
bool has_process(const JobState& state);

/// The earliest moment at which DeadlineReached has something to do; 0: none. `warn_fraction`: the part of
/// its estimate or time limit after which an attempt is warned about; 0: never.
TimeUs next_deadline(const JobState& state, double warn_fraction = 0);

/// What this state requires outside of the engine. Computed from the state alone, so it is the same after a
/// crash; idempotent. `deliver_answer` writes the answer to request `input` to a file for the agent, if the
/// question came by file.
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
