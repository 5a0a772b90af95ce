// Text for manual pages, which the programs print of themselves. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// `text` as it is to be read: backslashes, hyphens, and dots and quotes at the beginning of a line mean
/// something to roff.
std::string roff(std::string_view text);

}  // namespace luzia
