// Checks whether the process that listens at a socket can be the daemon: in a shared folder, anyone who may
// create files could listen in its place. Any thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// `listener`: the account that listens at `path`, as the kernel reports it. Trusted are the caller's own
/// account and root. Another account is trusted if the socket is in its own folder and not everyone could
/// have put that folder there. `socket_untrusted` (refused) otherwise.
Status check_listener(const std::string& path, uid_t listener);

}  // namespace luzia
