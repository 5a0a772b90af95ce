// Starts luziad on demand, detached from this process, its terminal and its job.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/socket/client.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// The path of luziad: $LUZIA_DAEMON, else beside this program (as built or as installed), else on PATH.
/// Empty: not found.
std::string find_daemon_program();

/// The path of a program that is no command for people, such as luzia-web: beside this program, as built or
/// as installed. Empty: not found.
std::string find_own_program(const std::string& name);

/// The environment that a daemon inherits: HOME, PATH, USER, LOGNAME, LANG, LC_*, XDG_*, TMPDIR, TZ,
/// LUZIA_CONFIG, and those named in `passed`, which agents need. No variables of jobs.
std::vector<std::string> daemon_environment(const char* const* environment,
                                            const std::vector<std::string>& passed = {});

/// kPatience: how long to wait for a daemon. kPatienceWhileStarting: how long to wait for one that is
/// starting. After kill -9 on a busy machine it first replays what its views lack; a report that gave up
/// earlier would be lost.
inline constexpr std::chrono::seconds kPatience{5}, kPatienceWhileStarting{30};
/// Pauses between attempts to connect to an absent daemon: they grow from kFirstRetryAfter to kRetryEvery.
inline constexpr std::chrono::milliseconds kFirstRetryAfter{20}, kRetryEvery{250};

/// Starts a daemon for the store and connects to it; `silence` limits how long it may stay silent. `say`
/// receives a line when this takes longer than kPatience, and a note if root has a store at the path that was
/// root's default before kSystemStore. Errors (trouble):
/// - `daemon_failed`: the daemon exited; with its last message (STORE/daemon.err) or the signal.
/// - `daemon_slow`: no answer within kPatienceWhileStarting.
/// - `no_daemon_program`: luziad is not installed.
Result<Client> start_daemon(const Place& place, const SilenceLimit& silence,
                            const std::function<void(std::string_view)>& say);

}  // namespace luzia
