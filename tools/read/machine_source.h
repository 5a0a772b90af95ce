// A Source on another machine: its daemon, over SSH. One thread for each.
#pragma once

#include <memory>

#include "tools/cli/machines.h"
#include "tools/read/source.h"

namespace luzia {

/// Connects to the daemon of the machine, which is started there if none runs. `silence` limits the
/// connection, each answer, and a reconnection. Errors as connect_by_ssh(). Several threads may open sources
/// at once.
Result<std::unique_ptr<Source>> open_machine(const Machine& machine, const SilenceLimit& silence);

}  // namespace luzia
