// The files that a job has changed. git runs for it, in a program of its own, as the job's user: a
// repository's configuration can name programs. Waits for it: for worker threads.
#pragma once

#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

/// GET /v1/jobs/{job}/changes: what `luzia diff JOB --json` prints, or with Accept: text/x-diff the unified
/// diff. Only if the device may see the job.
Answer changes(const DaemonDoor& door, const std::string& store, const std::string& device,
               const Match& match, const Request& request);

}  // namespace luzia::web
