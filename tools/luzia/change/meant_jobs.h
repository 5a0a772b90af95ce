// Selects jobs by options, for commands that change many at once: without --yes they are only shown. One
// thread.
#pragma once

#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

struct MeantJobs {
  std::vector<std::string> ids;  // in full, the newest first
  Position position = 0;         // of the log at which they were selected
};

/// Whether the command names jobs by an option (--project, --agent, --tag, --state, --since) instead of by
/// ids.
bool means_jobs_by_options(const Arguments& args);

enum class Meant { unfinished, failed };

/// The jobs that the options mean: unfinished ones, or those that failed, ran out of time or were lost; with
/// --state those of these states. Without --yes they are only shown, and `needs_yes` (refused) says what
/// `verb` would be done to how many. The client may be any that connect_to_ask() made.
Result<MeantJobs> jobs_meant_by_options(Invocation& invocation, Client& client, Meant meant,
                                        const char* verb);

}  // namespace luzia
