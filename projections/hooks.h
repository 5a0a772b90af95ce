// Core view hooks, key: hook. How far each hook has been told, and what became of it.
#pragma once

#include <vector>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kHooksView{7, 1, "hooks", ViewKind::core};

std::unique_ptr<Projection> make_hooks_projection(ViewReaderSource rows);

/// All hooks that the log knows, by name; also those that are configured no more. Any thread.
std::vector<view::HookCursorT> hook_cursors(const ViewReader& rows);

}  // namespace luzia
