// Starting luziad on demand: detached from this process, its terminal and its job.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/socket/client.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// $LUZIA_DAEMON, else luziad beside this program (as built or as installed), else on PATH. Empty: nowhere.
std::string find_daemon_program();

/// What a daemon inherits: HOME, PATH, USER, LOGNAME, LANG, LC_*, XDG_*, TMPDIR, TZ, LUZIA_CONFIG; nothing of
/// a job.
std::vector<std::string> daemon_environment(const char* const* environment);

/// How long a daemon is waited for, and for how long one that is seen to start: after kill -9 on a busy
/// machine it replays what its views lack, and a report that gave up earlier would be lost.
inline constexpr std::chrono::seconds kPatience{5}, kPatienceWhileStarting{30};
/// When somebody who waits for a daemon that is away tries again: first after the one, then less and less
/// often, at last every time after the other.
inline constexpr std::chrono::milliseconds kFirstRetryAfter{20}, kRetryEvery{250};

/// Starts a daemon for that store and connects, with patience for its silence. When that takes over
/// kPatience, `say` gets one line about it; and one first where root has a store from before kSystemStore was
/// root's. `daemon_failed` (trouble) carries what it said last (STORE/daemon.err), or which signal killed it,
/// `daemon_slow` comes after kPatienceWhileStarting, `no_daemon_program` when luziad is not installed.
Result<Client> start_daemon(const Place& place, const SilenceLimit& silence,
                            const std::function<void(std::string_view)>& say);

}  // namespace luzia
