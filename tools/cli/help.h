// Help and man page, made from the tables of commands. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace luzia {

/// The commands by group: those of every day, or `all`.
std::string overview_text(const Program& program, bool all);
std::string command_help(const Program& program, const Command& command);
/// The same, or that of the subcommand that the first of its words names.
std::string help_on(const Program& program, const Command& command, const std::vector<std::string>& words);
/// The man page as roff.
std::string man_page(const Program& program);

extern const Command kHelpCommand;

}  // namespace luzia
