// What a broken-off export may hold although it has been erased meanwhile.
#pragma once

#include "tools/read/session.h"

namespace luzia {

/// Whether a text of an event up to `written` was erased (luzia rm --purge) by an event behind it.
Result<bool> erased_since(Session& session, Position written);

}  // namespace luzia
