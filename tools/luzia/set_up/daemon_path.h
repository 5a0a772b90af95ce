// The PATH of the daemon, which it keeps from its start: an agent that was installed in a new folder since is
// found by this shell, and not by the daemon. One thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "adapters/config/config.h"

namespace luzia {

/// The agents that are found here and not on the daemon's PATH, with their programs. Empty if its environment
/// cannot be read, as that of another user's daemon.
std::map<std::string, std::string> agents_daemon_lacks(const Config& config, pid_t daemon);

}  // namespace luzia
