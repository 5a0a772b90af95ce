// Installs Luzia's Debian package on another machine, by ssh. One thread.
#pragma once

#include <string>

#include "adapters/socket/ssh_client.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// Sends the package FILE.deb there, and installs it by dpkg -i: as root, or with sudo -n. Says what it does,
/// and returns what was installed: "luzia 0.9.1 (amd64) by dpkg -i". Errors: `not_a_package` (usage): the
/// file is none of Luzia's; `other_architecture` (refused); `may_not_install` (refused): neither root nor
/// sudo without a password; `no_dpkg`, `not_installed` (trouble): dpkg's words; and those of run_by_ssh(). On
/// an error before dpkg -i, nothing is changed there; dpkg -i that has begun goes on to its end.
Result<std::string> install_package(const Invocation& invocation, const Machine& machine,
                                    const std::string& file, const SshRunLimits& limits);

}  // namespace luzia
