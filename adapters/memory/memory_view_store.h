// Rows in memory, for tests and simulation: an overlay store without a store beneath.
#pragma once

#include "engine/view/overlay_store.h"

namespace luzia {

class MemoryViewStore : public OverlayStore {
 public:
  MemoryViewStore() : OverlayStore(nullptr) {}
};

}  // namespace luzia
