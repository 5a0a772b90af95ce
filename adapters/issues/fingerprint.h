// Decides whether two lines show the same problem. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// Version of the rules below, stored with each fingerprint: a change of the rules needs a new number.
inline constexpr std::uint32_t kFingerprintVersion = 1;

/// `line` without the parts that change between occurrences, so that repeats are one issue:
///   * a file below /tmp, /var/tmp or /var/folders becomes `<tmp>`; other paths keep only their last part, so
///     the same file of two checkouts is equal,
///   * UUIDs, and hexadecimal words of at least seven digits that include a decimal one, become `<hex>`,
///   * other numbers become one `0`, with whatever joins them (times, dates, versions, addresses),
///   * white space becomes one blank.
/// The same rules apply to a name in quotes. Linear in the line.
std::string normalised_line(std::string_view line);

/// 32 hexadecimal digits, a hash of the pattern's name and the normalized line.
std::string issue_fingerprint(std::string_view pattern, std::string_view line);

}  // namespace luzia
