// Translates Python regular expressions, where possible, to those of `grep -E` in the C locale: an
// independent engine to compare the matcher with. Works on the original text, not on our parser's tree. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace luzia::bench {

/// nullopt for syntax that grep lacks or interprets differently: flags, lookaround, control characters, bytes
/// beyond ASCII.
std::optional<std::string> grep_expression(std::string_view python);

}  // namespace luzia::bench
