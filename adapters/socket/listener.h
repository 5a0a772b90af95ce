// Who listens at a socket, and whether the caller may take that for the daemon: whoever may make files in a
// shared folder could listen there in the daemon's place. Any thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// `listener`: the account that listens at `path`, as the kernel tells. Good is one's own account and root,
/// and another one where the socket lies in a folder of its own that not everybody could put in another's
/// place. `socket_untrusted` (refused) otherwise.
Status check_listener(const std::string& path, uid_t listener);

}  // namespace luzia
