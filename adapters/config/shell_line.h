// A line of a shell as the gates over it see it: in simple commands, of which each is judged. Quotes are not
// looked at: what is cut too often is asked about too often. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// Without blanks around it.
std::string_view trimmed(std::string_view text);

/// One blank between words, so that a second one is no way around a pattern.
std::string with_single_blanks(std::string_view text);

/// Each with single blanks; none is empty.
std::vector<std::string> simple_commands(std::string_view line);

/// Without what only stands before a command: assignments, words of the shell, programs that run another.
std::string_view bare_command(std::string_view part);

/// Files that it writes are not named by the command's first words.
bool writes_file(std::string_view part);

/// A program's name without its folder.
std::string_view base_name(std::string_view program);

}  // namespace luzia
