// Checks the project names of a query before it is sent: a misspelt name would silently return nothing. Any
// thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

/// Returns the number of rows that match a query about the present, or the error.
using CountRows = std::function<Result<std::size_t>(const wire::QueryT&)>;

/// `unknown_project` (not_found), with the nearest name: a name that is not configured and has never had a
/// job or a flow. Accepts every name if there is no configuration (`config` null: it cannot be read) and
/// while the daemon rebuilds the views that would tell. Passes on errors of `count`. Sends no query for
/// configured names.
Status check_known_projects(const std::vector<std::string>& names, const Config* config,
                            const CountRows& count);

/// The same error for a name that is known to be unknown.
tl::unexpected<Error> unknown_project(const std::string& name, const Config& config);

}  // namespace luzia
