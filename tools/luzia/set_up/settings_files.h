// Settings files of agents: read whole, written whole. One thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia::init {

/// The file's text; empty if the file does not exist. Errors: `unreadable` (trouble); `bad_settings` (usage)
/// if it is larger than 4 MiB or no regular file.
Result<std::string> read_settings(const std::string& file);

}  // namespace luzia::init
