// Whether a line asks a person for something: without a person at a terminal, such a program waits forever.
// Pure.
#pragma once

#include <string_view>

namespace luzia {

/// Judged by the line's end, ignoring case: "[Y/n]", "(yes/no)?", "password:", "passphrase for key ...:",
/// "Username for 'https://...':", "press any key", "press enter to continue" and the like. An ordinary line
/// that only mentions passwords does not match.
bool looks_like_prompt(std::string_view line);

}  // namespace luzia
