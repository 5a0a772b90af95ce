// Names of projects in a question, looked at before it is asked: a wrong one would have an empty answer,
// without a word.
#pragma once

#include "tools/luzia-query/session.h"

namespace luzia {

/// `unknown_project` (refused): a project of --project is in no configuration, and none of that name has ever
/// had a job or a flow. A configuration that cannot be read refuses nothing.
Status check_projects(Session& session);

}  // namespace luzia
