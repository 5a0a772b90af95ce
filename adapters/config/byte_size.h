// Sizes in the configuration and in options: "10MiB"; percentages: "200%". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

/// A whole number with B, KiB, MiB, GiB or TiB, of which the first letter is enough; without a unit, bytes.
/// nullopt: not a size, or too large.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// A whole number to 1,000,000, with or without a percent sign: "200%", "200 %". nullopt: no percentage.
std::optional<std::uint32_t> parse_percent(std::string_view text);

/// The shortest text that parses back to the same number.
std::string bytes_text(std::uint64_t bytes);

}  // namespace luzia
