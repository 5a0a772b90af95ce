// Text for manual pages, which the programs print themselves. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Escapes `text` for roff: backslashes, hyphens, and dots and quotes at the beginning of a line.
std::string roff(std::string_view text);

}  // namespace luzia
