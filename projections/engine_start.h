// Loads the live state from the core views into the engine. Loop thread.
#pragma once

#include "engine/core/engine.h"
#include "engine/view/view_store.h"

namespace luzia {

/// Call before Engine::resume(). The caller must check `rows.status()` for unreadable rows.
void load_live_state(Engine& engine, const ViewReader& rows);

}  // namespace luzia
