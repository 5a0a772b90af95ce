// `luzia daemon reload`, which is also `luzia config reload`. One thread.
#pragma once

#include "tools/cli/invocation.h"

namespace luzia {

/// Has the daemon read its configuration again. With a mistake in it nothing changes, and the error says what
/// is wrong.
Result<int> reload_daemon(Invocation& invocation);

}  // namespace luzia
