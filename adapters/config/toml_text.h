// Writes pieces of TOML as text. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// A basic string in quotes; escapes control characters, quotes and backslashes.
std::string toml_string(std::string_view text);
/// A key: bare if TOML allows that, else quoted.
std::string toml_key(std::string_view key);
/// "250ms", "90s", "10m", "2h": reads back to the same.
std::string duration_text(std::uint64_t ms);

}  // namespace luzia
