// Staying until jobs have come to an end, and saying how they did.
#pragma once

#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// Asks for a wait and comes back with the jobs' rows; goes on with the next daemon when one is restarted
/// meanwhile.
Result<Page> wait_for(Invocation& invocation, Client& client, wire::WaitT wait);

/// Waits for all of them, prints how they ended, returns the exit code: 0 all completed, else 1, or with
/// `own` the first code of a job that is not 0.
Result<int> wait_and_report(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                            bool own);

}  // namespace luzia
