// The program luzia-web of a store: whether it runs, starting and stopping it. One thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/device/listening.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// What luzia-web wrote into STORE.web.json when it began to listen.
struct RunningWeb {
  pid_t pid = 0;
  std::string url;      // without a slash at its end
  std::string started;  // RFC 3339
  uid_t user = 0;       // as whom it runs
};

/// nullopt: it does not run.
Result<std::optional<RunningWeb>> find_web(const std::string& store);

/// Where it is to listen: [web] of the configuration, and --listen. Errors as check_listening().
Result<WebListening> web_listening(Invocation& invocation);

/// The running one, else one that is started now, detached from this process and its terminal. Starts the
/// daemon if none runs. Errors: `no_web_program` (trouble), `web_failed` (trouble; with its last words),
/// `web_slow` (trouble), and as web_listening().
Result<RunningWeb> start_web(Invocation& invocation);

/// Becomes luzia-web, for a service manager. Returns only an error, as start_web().
Status become_web(Invocation& invocation);

/// Asks it to end, and waits for that. False: it did not run. `web_slow` (trouble).
Result<bool> stop_web(const std::string& store);

/// The store of this invocation; `no_store` (usage): inside a job only its socket is known.
Result<std::string> store_for_web(Invocation& invocation);

}  // namespace luzia
