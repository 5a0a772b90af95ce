// `luzia daemon reload`, which is also `luzia config reload`. One thread.
#pragma once

#include "tools/cli/invocation.h"

namespace luzia {

/// Makes the daemon read its configuration again. If it has a mistake, nothing changes and the error says
/// what is wrong.
Result<int> reload_daemon(Invocation& invocation);

}  // namespace luzia
