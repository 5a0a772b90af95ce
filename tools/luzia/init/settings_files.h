// Settings files of agents: read whole, written whole. One thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia::init {

/// Empty where there is no such file. `unreadable` (trouble); `bad_settings` (usage) when it is over 4 MiB or
/// no plain file.
Result<std::string> read_settings(const std::string& file);

}  // namespace luzia::init
