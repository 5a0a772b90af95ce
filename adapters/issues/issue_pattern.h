// Known problems as pattern files describe them. The format is the older tool's known_issues.json:
//   {"patterns": [{"name", "description", "error_patterns": [...], "fix", "fix_command", "auto_fixable",
//                  "severity": "info|warning|error|critical", "rank": "cause|test|clue|consequence",
//                  "project", "family", "instead_of": [...], "one_issue", "earlier": [{"line", "within",
//                  "except", "until", "first", "shown"}]}]}
// Only name and error_patterns are required. Unknown keys are ignored; the shipped library keeps its examples
// in one. A bad pattern is refused as a whole, alone; the other patterns of the file are loaded. Plain
// values, any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/python_regex.h"
#include "engine/base/result.h"
#include "issue.fb.h"

namespace luzia {

inline constexpr std::size_t kMaxPatternFileBytes = 4 << 20;
inline constexpr std::size_t kMaxPatternsInFile = 10'000;
inline constexpr std::size_t kMaxRegexesInPattern = 64;
inline constexpr std::size_t kMaxPatternNameBytes = 128;
inline constexpr std::size_t kMaxInsteadOf = 64;           // names in one pattern
inline constexpr std::size_t kMaxEarlierRules = 8;         // in one pattern
inline constexpr std::size_t kMaxEarlierLines = 200;       // looked at by one rule
inline constexpr std::size_t kMaxPatternTextBytes = 4096;  // of description, fix and fix_command each

/// A line above a matching line that tells more about the issue. The search goes upwards, at most `within`
/// lines, and stops before a line that matches `until`. It stays in the block that is searched.
struct EarlierLine {
  LineRegex line;  // its captures are added to the issue's, unless that has one of the name
  std::optional<LineRegex> until;
  std::size_t within = 0;
  bool first = false;                    // take the first such line of the output instead of the nearest one
  bool shown = false;                    // report the issue at this line instead of the matching one
  std::optional<LineRegex> except = {};  // lines that are passed over although `line` matches them
};

struct IssuePattern {
  std::string name, description, fix, fix_command;
  bool auto_fixable = false;
  schema::Severity severity = schema::Severity::error;
  /// What it says about why an attempt failed (first_cause.h). The captures `test`, `what` (an assertion),
  /// `file`, `line`, `place` (FILE:LINE) and `count` (of failed tests) are used for that.
  schema::IssueRank rank = schema::IssueRank::none;
  std::string project;  // empty: every project
  std::string family;
  /// Names of less specific patterns: this one silences them on lines that it matches. Patterns that silence
  /// each other, directly or through others, all report.
  std::vector<std::string> instead_of;
  /// All matching lines in a job are one issue, reported with the first line, because they describe one
  /// problem in several ways. If false, different lines are different issues.
  bool one_issue = false;
  std::vector<LineRegex> regexes;
  std::vector<EarlierLine> earlier;  // the first one that finds a line counts
  std::string file;                  // where it was read from
  bool shipped = false;              // it ships with the program: its instead_of silences no user's pattern
};

/// One reason why a pattern was refused.
struct RefusedPattern {
  std::string file, pattern;         // "#3" for the third pattern if it has no name
  std::optional<std::size_t> regex;  // in error_patterns, from 0
  std::size_t position = 0;          // in the regex, in characters from 0
  std::string reason;

  /// "FILE: pattern NAME: error_patterns[1] at 5: a lookahead"
  std::string text() const;
};

struct PatternFile {
  std::string path;
  std::vector<IssuePattern> patterns;
  std::vector<RefusedPattern> refused;  // a pattern may be refused for several reasons
  std::size_t listed = 0;               // patterns in the file, accepted or refused
};

/// Errors (usage) that concern the whole file: `pattern_file_syntax`, `pattern_file_too_large`,
/// `pattern_file_shape`.
Result<PatternFile> parse_pattern_file(std::string_view json, const std::string& path);
/// Also `pattern_file_unreadable`.
Result<PatternFile> read_pattern_file(const std::string& path);

/// The shipped library, compiled in, so the daemon finds it wherever it is installed.
std::vector<PatternFile> shipped_patterns();
/// Names in the pattern's instead_of that are not in `names`, in the same order.
std::vector<std::string> unknown_instead_of(const IssuePattern& pattern,
                                            const std::set<std::string, std::less<>>& names);
/// A file of the shipped library, as installed: name and text.
struct ShippedFile {
  std::string_view name, json;
};
std::vector<ShippedFile> shipped_pattern_files();

}  // namespace luzia
