// Sizes of files in the configuration: "10MiB". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

/// A whole number with B, KiB, MiB, GiB or TiB; without a unit, bytes. nullopt: not a size, or too large.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// The shortest text that parses back to the same number.
std::string bytes_text(std::uint64_t bytes);

}  // namespace luzia
