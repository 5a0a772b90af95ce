// Words for a POSIX shell, in scripts and in suggested commands. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Quotes one word for a shell: unchanged if that is safe, else in single quotes.
std::string shell_quote(std::string_view text);

}  // namespace luzia
