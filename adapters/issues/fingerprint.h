// What makes two lines the same problem. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// Version of the rules below. It is stored beside each fingerprint: a change of the rules is a new number.
inline constexpr std::uint32_t kFingerprintVersion = 1;

/// `line` with what changes from one occurrence to the next taken out, so that repeats are one issue:
///   * a file below /tmp, /var/tmp or /var/folders is `<tmp>`, other paths keep their last part only (the
///   same
///     file of two checkouts is the same),
///   * UUIDs and hexadecimal words of seven and more with a digit in them are `<hex>`,
///   * other digits are one `0` per number with what joins numbers (times, dates, versions, addresses),
///   * blanks are one blank.
/// A name in quotes is told like one without: by the rules above. Linear in the line.
std::string normalised_line(std::string_view line);

/// 32 hexadecimal digits of the pattern's name and the normalised line.
std::string issue_fingerprint(std::string_view pattern, std::string_view line);

}  // namespace luzia
