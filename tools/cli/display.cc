#include "tools/cli/display.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace luzia {

bool stderr_draws() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && kind[0] != '\0' &&
         std::string_view(kind) != "dumb";
}

bool is_compact(Invocation& invocation) {
  if (!invocation.terminal().out_is_terminal) return false;
  const auto config = invocation.config();
  return config && (*config)->display.compact_format;
}

ShownLimits shown_limits(Invocation& invocation) {
  const auto config = invocation.config();
  if (!config) return {};
  const auto& limits = (*config)->limits;
  return {static_cast<std::uint32_t>(limits.max_buffer_size), static_cast<std::uint32_t>(limits.max_history)};
}

}  // namespace luzia
