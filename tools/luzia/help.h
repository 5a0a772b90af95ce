// Help and man page, made from the tables of commands. Pure.
#pragma once

#include <string>

#include "tools/luzia/command.h"

namespace luzia {

/// The commands by group.
std::string overview_text();
std::string command_help(const Command& command);
/// The man page luzia(1) as roff.
std::string man_page();

}  // namespace luzia
