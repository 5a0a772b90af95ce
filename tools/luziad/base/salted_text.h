// Texts as the log stores them. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "engine/event/event.h"

namespace luzia {

/// Adds random bytes, so that equal texts have different hashes.
Blob salted_text(std::uint32_t index, std::string content);

}  // namespace luzia
