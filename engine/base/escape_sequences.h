// Removes terminal control sequences (ECMA-48) from text. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace luzia {

/// Appends `text` without its escape sequences: CSI, OSC and the other string types, and the short ones. An
/// unterminated sequence removes the rest of the text. Stops if `out` has `most` bytes.
void append_without_escapes(std::string_view text, std::string& out, std::size_t most = std::string::npos);

}  // namespace luzia
