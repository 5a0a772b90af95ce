// Terminal control sequences (ECMA-48) in a text: CSI, OSC and the other string types, and the short ones.
// Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// The length of the sequence at the beginning of `text`, whose first byte is ESC. All of `text` if it is
/// unterminated, as on a terminal.
std::size_t ansi_length(std::string_view text);

/// Appends `line` without its sequences.
void append_without_ansi(std::string_view line, std::string& out);

}  // namespace luzia
