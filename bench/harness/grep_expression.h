// Python's regular expressions as `grep -E` reads them in the C locale, where it can: an engine of others
// that the matcher is compared with. Written from the text as it came, not from what our parser made of it.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace luzia::bench {

/// Nothing for what grep has no words for (or has other ones): flags, looking around, control characters,
/// bytes beyond ASCII.
std::optional<std::string> grep_expression(std::string_view python);

}  // namespace luzia::bench
