// Cancels any number of jobs, in parts that each fit into one group of the log. One thread.
#pragma once

#include "tools/luzia/asking.h"

namespace luzia {

/// What was done altogether; `all.repeated` is true before the first part.
void add_part(wire::AcceptedT& all, const wire::AcceptedT& part);

/// Sends the cancel in parts: a command is one group of the log, of 4,096 events at most. Each part is all or
/// nothing under a command id made of the request's and of the jobs in it, so that the same part sent again
/// takes effect once. `request.jobs` in full; one that has ended meanwhile is left out. Returns those that
/// are being cancelled, `repeated` when all were before. An error names how many were cancelled before it.
Result<wire::AcceptedT> cancel_in_parts(Invocation& invocation, Client& client,
                                        const wire::ActOnJobsT& request);

}  // namespace luzia
