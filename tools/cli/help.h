// Help and man page, generated from the tables of commands. Pure.
#pragma once

#include <string>

#include "tools/cli/command.h"

namespace luzia {

/// The commands by group: the most used ones, or `all`.
std::string overview_text(const Program& program, bool all);
std::string command_help(const Program& program, const Command& command);
/// The man page as roff.
std::string man_page(const Program& program);

extern const Command kHelpCommand;

}  // namespace luzia
