// Words for enums and ends: the stable ones that scripts read, and sentences for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/time.h"
#include "engine/event/job_state.h"
#include "system.fb.h"
#include "view.fb.h"

namespace luzia {

/// "queued", "timed_out", ... ; "unknown" for a value of a newer program.
std::string_view state_name(schema::JobState state);
std::optional<schema::JobState> parse_state(std::string_view name);

/// The job's state in the words of the A2A protocol. A parked job is working: it goes on by itself when its
/// limit resets and needs nobody. lost, timed_out and skipped are
/// failures there.
std::string_view a2a_state(schema::JobState state);

/// "exit_code", "cancelled_before_start", ...
std::string_view end_reason_name(schema::EndReason reason);
std::string_view severity_name(schema::Severity severity);
std::string_view verdict_name(schema::Verdict verdict);
std::string_view actor_kind_name(schema::ActorKind kind);
std::string_view stop_reason_name(schema::StopReason reason);
std::string_view hook_outcome_name(schema::HookOutcome outcome);

/// "SIGKILL"; "SIG64" style for the unnamed ones.
std::string signal_name(int signal);

/// Taken over from another tool, after its end: it never had a place in the queue.
bool is_imported(const view::Job& job);

/// Why a job ended, for people: "exit code 2", "signal 9, SIGKILL", "cancelled before start", ...
/// with the recorded detail where there is one. Empty for a job that has not ended.
std::string end_text(const view::Job& job);
std::string end_text(schema::JobState state, schema::EndReason reason, std::optional<int> exit_code,
                     int signal, std::string_view detail);

}  // namespace luzia
