// Words for a POSIX shell, in scripts and in commands that are suggested. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// One word of a shell: as it is where that is safe, else in single quotes.
std::string shell_quote(std::string_view text);

}  // namespace luzia
