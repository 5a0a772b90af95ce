// Texts that people give as files.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// The content of a file, or of standard input for "-". Errors (usage): `unreadable`, `too_long` (over 8
/// MiB).
Result<std::string> read_text(const std::string& path);

}  // namespace luzia
