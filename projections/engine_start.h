// What the engine begins with: the live state as the core views hold it.
#pragma once

#include "engine/core/engine.h"
#include "engine/view/view_store.h"

namespace luzia {

/// Before Engine::resume(). Whether the rows could be read is the caller's to ask (`rows.status()`).
void load_live_state(Engine& engine, const ViewReader& rows);

}  // namespace luzia
