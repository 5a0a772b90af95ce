// Checks the project names of a command before it runs, to catch typos.
#pragma once

#include "tools/read/session.h"

namespace luzia {

/// As check_known_projects(): `unknown_project` (not_found). If the daemon's configuration is not known here,
/// prints a note on standard error instead of failing. `count` returns the number of rows of a query.
Status check_projects(Invocation& invocation, const std::vector<std::string>& projects,
                      const std::function<Result<std::size_t>(const wire::QueryT&)>& count);
/// Checks the names given with --project.
Status check_projects(Session& session);

}  // namespace luzia
