// The daemon's own files in the store beside log and views: run folder, ballast. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// STORE/run for claims and exit records, mode 0700.
Result<std::string> prepare_run_dir(const std::string& store);

/// Keeps 32 MiB back while the disk has room, so that there is something to give when it is full.
void keep_ballast(const std::string& store);
/// Gives it up if the disk is full: cancel, rm and gc still work then. Whether there was any to give.
bool release_ballast(const std::string& store);

}  // namespace luzia
