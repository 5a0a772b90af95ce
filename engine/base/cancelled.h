// What long work that takes a std::stop_token answers when it was stopped. Any thread.
#pragma once

#include "engine/base/result.h"

namespace luzia {

/// `cancelled` (trouble): `what` was going on and has changed nothing that counts.
[[nodiscard]] inline tl::unexpected<Error> cancelled(const std::string& what) {
  return fail(ErrorKind::trouble, "cancelled", what + ": stopped before the end, because the daemon stops",
              "ask again when the daemon is back");
}

}  // namespace luzia
