// Parses Python's regular expressions (the `re` module) and translates them for matching one line of output,
// or says why it cannot. Pure, any thread.
//
// - Supported as in Python: literals, classes, \d \s \w and their opposites, groups with and without names,
//   alternatives, greedy and lazy repeats, ^ $ \A \Z \b \B, octal, \x and \u escapes, comments, the flags a i
//   m s u x.
// - Different by design: the text is one line, so ^ and \A match its beginning, $ and \Z its end, and nothing
//   matches a newline. \d \s \w \b and case-insensitivity cover ASCII only. A non-ASCII character is its
//   UTF-8 bytes, and `.` is one byte.
// - Refused, because no linear-time engine supports it: lookahead, lookbehind, backreferences, conditionals,
//   atomic groups, possessive repeats.
// - Refused, because it needs Unicode tables: \N{...}, ranges and negated classes beyond ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "adapters/issues/regex_tree.h"

namespace luzia {

inline constexpr std::size_t kMaxRegexBytes = 4096;
inline constexpr std::size_t kMaxRegexDepth = 50;  // of groups
inline constexpr std::size_t kMaxRegexCaptures = 50;
inline constexpr std::uint32_t kMaxRegexRepeat = 1000;  // of a bounded repeat, multiplied by those around it
inline constexpr std::uint64_t kMaxRegexSize = 3000;    // expanded_size

/// Why an expression is refused. `position`: in characters from 0, as Python counts them.
struct RegexRefusal {
  std::size_t position = 0;
  std::string reason;
};

struct LineRegex {
  std::string written;                     // the original text
  std::string confirming;                  // for RE2, see print_confirming
  std::string finding;                     // for Vectorscan, see print_finding
  std::vector<std::string> capture_names;  // "1", "2" for captures without a name
  bool translated = false;                 // the engines could not read the original text
};

/// Parses `text` into a tree for one line. Accepts expressions that match the empty text.
tl::expected<RegexNode, RegexRefusal> parse_python_regex(std::string_view text);

/// Parses, checks the bounds, refuses an expression that can match the empty text, and checks that RE2
/// accepts it.
tl::expected<LineRegex, RegexRefusal> translate_python_regex(std::string_view text);

}  // namespace luzia
