// Watches one process, known by its pid and its start time, until it ends. Loop thread.
#pragma once

#include <functional>
#include <memory>

#include "adapters/launcher/launcher.h"
#include "engine/base/result.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// Calls `gone` when exactly this process has ended. Null: it is gone already, or its pid is another
/// process's now. An error: unknown for now (out of descriptors or memory).
Result<std::unique_ptr<ProcessWatch>> watch_process(uv_loop_t* loop, const ProcessId& process,
                                                    std::function<void()> gone);

}  // namespace luzia
