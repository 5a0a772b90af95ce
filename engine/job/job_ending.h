// How a job ends, or is parked, after its process has ended. Combines the exit code with the agent's last
// outcome report; either can be wrong, so the end's detail shows both. Pure.
#pragma once

#include <algorithm>
#include <string>

#include "engine/job/job.h"

namespace luzia {

struct JobEnding {
  schema::JobState state;
  schema::EndReason reason;
  std::string detail;
  bool retriable = false;
};

JobEnding ending_of(const JobState& state, const RecordExit& command);

/// Whether nobody can tell how the attempt ended, because its exit record is missing. If a stop was
/// requested, the stop is taken as the cause, except when the machine was restarted.
bool is_lost(const JobState& state, const RecordExit& command);

/// What the job's profile says the exit code means.
schema::ExitMeaning meaning_of(const JobState& state, int code);

/// For a job whose retries somebody asked for explicitly. If its profile makes no exit code retriable and
/// does not mention exit code 1, exit code 1 becomes retriable: otherwise the retries would have no effect.
/// Other codes stay final, above all exit code 2.
void honour_asked_retries(schema::JobSpecT& spec);

/// kUnknownLimit: assumed length of a usage limit if the agent does not report its reset. kLongestLimit: a
/// later reset is cut to this, because it comes from a line of output; known limits last hours, weeks or
/// months.
constexpr TimeUs kUnknownLimit = kHourUs;
constexpr TimeUs kLongestLimit = 31 * 24 * kHourUs;
constexpr TimeUs bounded_limit(TimeUs until, TimeUs now) {
  return std::min(until, now + kLongestLimit);
}

/// When the usage limit that ended this attempt is over; 0: none ended it. An attempt was not ended by a
/// limit if it completed, was stopped, or ended for another reason that the agent reported. Neither was it if
/// the limit was reset before the end.
TimeUs usage_limit_until(const JobState& state, const RecordExit& command, TimeUs now);

}  // namespace luzia
