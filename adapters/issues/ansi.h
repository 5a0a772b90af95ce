// Removes terminal control sequences from a line. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Appends `line` without its escape sequences: CSI, OSC and the other string types, and the short ones. An
/// unterminated sequence removes the rest of the line.
void append_without_ansi(std::string_view line, std::string& out);

}  // namespace luzia
