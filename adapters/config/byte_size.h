// Sizes of files in the configuration: "10MiB". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

/// A whole number with B, KiB, MiB, GiB or TiB, or alone (bytes); nothing for what is none or too great.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// The shortest that reads back to the same number.
std::string bytes_text(std::uint64_t bytes);

}  // namespace luzia
