// Describes the outcome of a question or approval, for the message that asked it.
#pragma once

#include <optional>
#include <string>

#include "adapters/socket/client.h"

namespace luzia {

/// From a reply to AwaitInput. nullopt: it is still open, or the daemon could not tell.
std::optional<std::string> outcome_in(const wire::ServerFrame& frame);

}  // namespace luzia
