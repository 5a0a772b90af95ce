// The error of long work that takes a std::stop_token and was stopped. Any thread.
#pragma once

#include "engine/base/result.h"

namespace luzia {

/// Error `cancelled` (trouble). `what`: the work that was stopped; it has changed nothing.
[[nodiscard]] inline tl::unexpected<Error> cancelled(const std::string& what) {
  return fail(ErrorKind::trouble, "cancelled", what + ": stopped before the end, because the daemon stops",
              "ask again when the daemon is back");
}

}  // namespace luzia
