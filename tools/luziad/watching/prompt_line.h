// Whether a line asks a person for something: programs that were started without anybody at a terminal then
// wait for ever. Pure.
#pragma once

#include <string_view>

namespace luzia {

/// By its end, upper and lower case alike: "[Y/n]", "(yes/no)?", "password:", "passphrase for key ...:",
/// "Username for 'https://...':", "press any key", "press enter to continue" and their like. An ordinary line
/// that only speaks of passwords is none.
bool looks_like_prompt(std::string_view line);

}  // namespace luzia
