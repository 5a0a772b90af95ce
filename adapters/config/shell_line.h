// Splits a shell line into simple commands, so that gates can judge each one. Quotes are ignored: splitting
// too often only means asking too often. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// Reduces white space to one blank between words, so that a second blank does not evade a pattern.
std::string with_single_blanks(std::string_view text);

/// Each has single blanks; none is empty.
std::vector<std::string> simple_commands(std::string_view line);

/// Strips what may precede a command: assignments, shell keywords, programs that run another program.
std::string_view bare_command(std::string_view part);

/// Whether the command writes a file by redirection: its first words do not name such a file.
bool writes_file(std::string_view part);

/// A program's name without its folder.
std::string_view base_name(std::string_view program);

}  // namespace luzia
