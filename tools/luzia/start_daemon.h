// Starting luziad on demand: detached from this process, its terminal and its job.
#pragma once

#include <string>
#include <vector>

#include "adapters/socket/client.h"
#include "tools/luzia/invocation.h"

namespace luzia {

/// $LUZIA_DAEMON, else luziad beside this program (as built or as installed), else on PATH. Empty: nowhere.
std::string find_daemon_program();

/// What a daemon inherits: HOME, PATH, USER, LOGNAME, LANG, LC_*, XDG_*, TMPDIR, TZ, LUZIA_CONFIG; nothing of
/// a job.
std::vector<std::string> daemon_environment(const char* const* environment);

/// Starts a daemon for that store and connects, within 5 s. `daemon_failed` (trouble) carries what it said
/// last (STORE/daemon.err), `no_daemon_program` when luziad is not installed.
Result<Client> start_daemon(const Place& place);

}  // namespace luzia
