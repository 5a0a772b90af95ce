// Names of enum values and ends: stable words for scripts, and sentences for people. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/time.h"
#include "engine/event/job_state.h"
#include "system.fb.h"
#include "view.fb.h"

namespace luzia {

/// "queued", "timed_out", ...; "unknown": a value of a newer program.
/// The schema's name of a value, as its EnumName function gives it; "unknown": a value of a newer program.
std::string_view known_name(const char* name);
std::string_view state_name(schema::JobState state);
std::optional<schema::JobState> parse_state(std::string_view name);

/// The job's state in terms of the A2A protocol. A parked job is working, because it resumes without help
/// when its limit is reset. lost, timed_out and skipped count as failures there.
std::string_view a2a_state(schema::JobState state);

/// "exit_code", "cancelled_before_start", ...
std::string_view end_reason_name(schema::EndReason reason);
std::string_view severity_name(schema::Severity severity);
std::string_view verdict_name(schema::Verdict verdict);
std::string_view actor_kind_name(schema::ActorKind kind);
std::string_view stop_reason_name(schema::StopReason reason);
std::string_view hook_outcome_name(schema::HookOutcome outcome);

/// What the checks of its work say: "proved", "refuted", or "unproved" if none ran to their end.
std::string_view proof_name(const view::Job& job);

/// Whether lists show the ended job as proved (true) or refuted (false) instead of its state.
std::optional<bool> shown_proof(const view::Job& job);

/// "SIGKILL"; for signals without a name, like "SIG64".
std::string signal_name(int signal);

/// "removed on 2026-11-21 10:37:39+01:00 ([keep] outputs = 30d)". `rule` as view::Job's files_gone_rule.
std::string files_gone_text(TimeUs when, std::string_view rule);

/// Imported from another tool, or tracked: it was never in the queue.
bool is_foreign(const view::Job& job);

/// Why a job ended, for people: "exit code 2", "signal 9, SIGKILL", "cancelled before start", ... with the
/// recorded detail if there is one. Empty: the job has not ended.
std::string end_text(const view::Job& job);
std::string end_text(schema::JobState state, schema::EndReason reason, std::optional<int> exit_code,
                     int signal, std::string_view detail);

}  // namespace luzia
