// How a job ends, or is parked, when its process has ended: what the exit code says, and what the agent said
// last. Either alone lies at times; both are told in the end's detail. Pure.
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

/// Whether nobody can tell how it ended: without an exit record, unless a stop was ordered, which is then
/// taken to have ended it. What a restart of the machine has ended, no stop did.
bool is_lost(const JobState& state, const RecordExit& command);

/// What the code means by the job's profile.
schema::ExitMeaning meaning_of(const JobState& state, int code);

/// For a job whose retries somebody asked for by name: where its profile says of no exit code that it may be
/// retried, and nothing of exit code 1, that one may be. Asked for, they are not to do nothing; other codes
/// stay final, exit code 2 above all.
void honour_asked_retries(schema::JobSpecT& spec);

/// A limit whose reset the agent does not tell is taken to last so long; one further away than kLongestLimit
/// (agents know limits of hours, weeks and months) is cut to it: the moment is a line of output.
constexpr TimeUs kUnknownLimit = kHourUs;
constexpr TimeUs kLongestLimit = 31 * 24 * kHourUs;
constexpr TimeUs bounded_limit(TimeUs until, TimeUs now) {
  return std::min(until, now + kLongestLimit);
}

/// Until when the usage limit keeps the agent from going on that ended this attempt; 0: none did. An attempt
/// that completed, was stopped, or ended for another reason that the agent names, was not ended by a limit;
/// nor by one that is reset already.
TimeUs usage_limit_until(const JobState& state, const RecordExit& command, TimeUs now);

}  // namespace luzia
