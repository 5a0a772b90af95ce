// The projects that a command names, looked at before it runs.
#pragma once

#include "tools/luzia-query/session.h"

namespace luzia {

/// Those of --project, as check_known_projects().
Status check_projects(Session& session);

}  // namespace luzia
