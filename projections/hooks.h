// Core view hooks. Key: hook. How far each hook has been notified, and with what result.
#pragma once

#include <vector>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kHooksView{7, 2, "hooks", ViewKind::core};

std::unique_ptr<Projection> make_hooks_projection(ViewReaderSource rows);

/// All hooks in the log by name, including those that are no longer configured. Any thread.
std::vector<view::HookCursorT> hook_cursors(const ViewReader& rows);

}  // namespace luzia
