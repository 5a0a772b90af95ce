// What became of a question or approval, in words for the message that asked it.
#pragma once

#include <optional>
#include <string>

#include "adapters/socket/client.h"

namespace luzia {

/// Of a reply to AwaitInput. Nothing: it is still open, or the daemon could not say.
std::optional<std::string> outcome_in(const wire::ServerFrame& frame);

}  // namespace luzia
