// Detects that an interrupted export may contain texts that have been erased since.
#pragma once

#include "tools/read/session.h"

namespace luzia {

/// Whether an event after position `written` erased (luzia rm --purge) a text of an event up to `written`.
Result<bool> erased_since(Session& session, Position written);

}  // namespace luzia
