// Pieces of TOML as text, for whatever writes configuration. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// A basic string in quotes: control characters, quotes and backslashes are escaped.
std::string toml_string(std::string_view text);
/// A key: bare where TOML allows that, else quoted.
std::string toml_key(std::string_view key);

}  // namespace luzia
