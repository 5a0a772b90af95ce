// Help and man page, generated from the tables of commands. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace luzia {

/// The commands by group: the most used ones, or `all`.
std::string overview_text(const Program& program, bool all);
std::string command_help(const Program& program, const Command& command);
/// The same, or that of the subcommand that the first of its words names.
std::string help_on(const Program& program, const Command& command, const std::vector<std::string>& words);
/// The man page as roff.
std::string man_page(const Program& program);
/// The same for a browser, in Markdown.
std::string reference_page(const Program& program);

/// Examples as they are typed, a line each: "luzia jobs" of luzia-query is "luzia-query jobs".
std::string examples_of(const Program& program, const Command& command, std::string_view indent);
/// The forms of a command's synopsis; at least one, which may be empty.
std::vector<std::string_view> forms_of(const Command& command);

extern const Command kHelpCommand;

}  // namespace luzia
