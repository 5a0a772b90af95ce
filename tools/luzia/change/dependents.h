// Jobs that were skipped because of others, and their retry together with these. One thread.
#pragma once

#include <string>
#include <vector>

#include "tools/luzia/change/each_job.h"

namespace luzia {

struct Dependent {
  std::string id;  // in full
  Position queued = 0;
};

/// The jobs that were skipped because of one of `jobs` (full ids), or of a job that was; those of jobs that
/// wait for one of them, too. The oldest first, so that each comes behind the jobs that it depends on.
Result<std::vector<Dependent>> skipped_because_of(Invocation& invocation, Client& client,
                                                  const std::vector<std::string>& jobs);

/// Retries the jobs of the request, then what was skipped because of them, so that each waits again for the
/// job that it depends on. A job that has not ended stays as it is where something was skipped because of it.
/// Of a repeated command, jobs that were queued after the first time are left alone.
Result<EachJob> retry_with_dependents(Invocation& invocation, Client& client, wire::ActOnJobsT request,
                                      const ActOnOne& act);

/// Says on standard error which jobs stay skipped although `retried` (full ids) are queued again, and the
/// command that retries them. No word when there are none, or the daemon does not answer.
void report_skipped(Invocation& invocation, Client& client, const std::vector<std::string>& retried);

}  // namespace luzia
