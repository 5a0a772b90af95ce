// Known problems as a pattern file tells of them: the older tool's known_issues.json,
//   {"patterns": [{"name", "description", "error_patterns": [...], "fix", "fix_command", "auto_fixable",
//                  "severity": "info|warning|error|critical", "project", "family", "instead_of": [...],
//                  "one_issue"}]}
// Only name and error_patterns must be there; other keys are left alone (the shipped library keeps its
// examples in one). A bad pattern is refused alone, all of it, and the others of the file are taken. Plain
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
#include "common.fb.h"
#include "engine/base/result.h"

namespace luzia {

inline constexpr std::size_t kMaxPatternFileBytes = 4 << 20;
inline constexpr std::size_t kMaxPatternsInFile = 10'000;
inline constexpr std::size_t kMaxRegexesInPattern = 64;
inline constexpr std::size_t kMaxPatternNameBytes = 128;
inline constexpr std::size_t kMaxInsteadOf = 64;           // names in one pattern
inline constexpr std::size_t kMaxPatternTextBytes = 4096;  // of description, fix and fix_command each

struct IssuePattern {
  std::string name, description, fix, fix_command;
  bool auto_fixable = false;
  schema::Severity severity = schema::Severity::error;
  std::string project;  // empty: every project
  std::string family;
  /// Names of patterns that say less: of a line that this one finds they tell nothing. Where they name
  /// each other, be it through others, all tell.
  std::vector<std::string> instead_of;
  /// All lines that it finds in a job are one issue, with the first of them: they tell of one thing in
  /// several ways. Else lines that differ are different issues.
  bool one_issue = false;
  std::vector<LineRegex> regexes;
  std::string file;      // it was read from
  bool shipped = false;  // it came with the program: no user's pattern is silenced by its instead_of
};

/// One reason why a pattern was not taken.
struct RefusedPattern {
  std::string file, pattern;         // "#3" for the third one, which has no name
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
  std::size_t listed = 0;               // patterns that the file has, taken or refused
};

/// Errors (usage), which concern the whole file: `pattern_file_syntax`, `pattern_file_too_large`,
/// `pattern_file_shape`.
Result<PatternFile> parse_pattern_file(std::string_view json, const std::string& path);
/// Also `pattern_file_unreadable`.
Result<PatternFile> read_pattern_file(const std::string& path);

/// The library that ships, compiled in: the daemon knows it wherever it runs from.
std::vector<PatternFile> shipped_patterns();
/// Names in instead_of of the pattern that none of `names` is, as they stand there.
std::vector<std::string> unknown_instead_of(const IssuePattern& pattern,
                                            const std::set<std::string, std::less<>>& names);
/// Its files as they are installed: name and text.
struct ShippedFile {
  std::string_view name, json;
};
std::vector<ShippedFile> shipped_pattern_files();

}  // namespace luzia
