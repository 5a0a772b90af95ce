// The projects that a command names, looked at before it runs.
#pragma once

#include "tools/read/session.h"

namespace luzia {

/// As check_known_projects(): `unknown_project` (usage). Where the daemon's configuration is not known here,
/// it is a word on standard error and no error.
Status check_projects(Invocation& invocation, const std::vector<std::string>& projects,
                      const std::function<Result<std::size_t>(const wire::QueryT&)>& count);
/// Those of --project.
Status check_projects(Session& session);

}  // namespace luzia
