// Terminal control sequences taken out of a line. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Appends `line` without its escape sequences (CSI, OSC and the other strings, and the short ones). One that
/// does not end takes the rest of the line with it.
void append_without_ansi(std::string_view line, std::string& out);

}  // namespace luzia
