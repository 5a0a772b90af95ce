// Warnings that the daemon gives about an attempt, each kind once: it takes longer than was thought, prints
// nothing, prints the same over and over, or prints too much. Reports on the job's stream, so that they show
// where the agent's own warnings do. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/time.h"
#include "engine/job/job.h"

namespace luzia {

/// "DURATION_EXCEEDED", "SILENCE", "OUTPUT_LOOP", "OUTPUT_FLOOD": warning_type of the report.
std::string_view warning_type(WarningKind kind);

/// Whether this attempt was warned about in this way already.
bool was_warned(const JobState& state, WarningKind kind);

/// Whether people are being asked about the attempt's silence.
bool asks_about_silence(const JobState& state);

/// The bit in JobState::warned that this report sets: of the daemon's own warnings, else 0. What an agent
/// publishes under the same name keeps no warning of ours back.
std::uint32_t warning_bit(const schema::Event& event);

/// When the attempt has used up `fraction` of its estimate, its time limit or its budget, whichever comes
/// first; 0: never, or it was warned about already. `fraction` 0: never.
TimeUs duration_warning_at(const JobState& state, double fraction);

/// The report that is due at duration_warning_at().
NewEvent duration_warning(const JobState& state, double fraction, TimeUs now);

}  // namespace luzia
