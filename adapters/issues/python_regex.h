// Reads Python's regular expressions (the `re` module) and says what they mean for one line of output, or why
// they cannot be had. Pure, any thread.
//
// Taken as in Python: literals, classes, \d \s \w and their opposites, groups with and without names, choice,
// greedy and lazy repeats, ^ $ \A \Z \b \B, octal, \x and \u escapes, comments, the flags a i m s u x.
// Different by design: a text is one line, so ^ and \A are its beginning, $ and \Z its end, and nothing
// matches a newline; \d \s \w \b and ignoring case know ASCII only; a character beyond ASCII is its UTF-8
// bytes and `.` is one byte. Refused, because no engine that is linear in the text has it: lookahead,
// lookbehind, backreferences, conditionals, atomic groups, possessive repeats; and what would need Unicode
// tables: \N{...}, ranges and negated classes beyond ASCII.
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
inline constexpr std::uint32_t kMaxRegexRepeat = 1000;  // of a bounded repeat, times those around it
inline constexpr std::uint64_t kMaxRegexSize = 3000;    // expanded_size

/// Why an expression is not taken; `position` in characters from 0, as Python counts them.
struct RegexRefusal {
  std::size_t position = 0;
  std::string reason;
};

struct LineRegex {
  std::string written;                     // as it came
  std::string confirming;                  // for RE2, see print_confirming
  std::string finding;                     // for Vectorscan, see print_finding
  std::vector<std::string> capture_names;  // "1", "2" for those without
  bool translated = false;                 // the engines could not read it as it was written
};

/// The tree of `text`. One line: expressions that match the empty text are taken here.
tl::expected<RegexNode, RegexRefusal> parse_python_regex(std::string_view text);

/// The whole way: parsed, bounded, never matching the empty text, accepted by RE2.
tl::expected<LineRegex, RegexRefusal> translate_python_regex(std::string_view text);

}  // namespace luzia
