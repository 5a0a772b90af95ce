// The daemon's warnings about an attempt, each kind once: it takes longer than expected, prints nothing,
// repeats its output, or prints too much. They are reports on the job's stream, so they appear beside the
// agent's own warnings. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/time.h"
#include "engine/job/job.h"

namespace luzia {

/// Value of warning_type in the report: "DURATION_EXCEEDED", "SILENCE", "OUTPUT_LOOP", "OUTPUT_FLOOD",
/// "ALL_DENIED" or "LOGIN_FAILED".
std::string_view warning_type(WarningKind kind);

bool was_warned(const JobState& state, WarningKind kind);

/// Whether a question about the attempt's silence is open.
bool asks_about_silence(const JobState& state);

/// The bit in JobState::warned that this report sets; 0 unless the daemon made it. A report that an agent
/// publishes under the same name does not suppress the daemon's warning.
std::uint32_t warning_bit(const schema::Event& event);

/// When the attempt has used `fraction` (0 to 1) of its estimate, time limit or budget, whichever comes
/// first. 0: never, or it was warned already, or `fraction` is 0.
TimeUs duration_warning_at(const JobState& state, double fraction);

/// The report that is due at duration_warning_at().
NewEvent duration_warning(const JobState& state, double fraction, TimeUs now);

/// "all its 3 edits were denied": the attempt tried to change files, and was never allowed to. Else empty.
std::string denied_edits(const JobState& state);
/// The report of that, for the end of the attempt.
NewEvent denial_warning(const JobState& state, TimeUs now);
/// The report that a service refused the agent's login, with what to do.
NewEvent login_warning(const JobState& state, bool waits, TimeUs now);

}  // namespace luzia
