// Shared by the tests of issues: patterns from a few words, and a matcher's findings as text.
#pragma once

#include <string>
#include <vector>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/issue_patterns.h"
#include "tests/scratch.h"

namespace luzia {

inline IssuePattern pattern_of(const std::string& name, const std::vector<std::string>& regexes) {
  IssuePattern pattern;
  pattern.name = name;
  pattern.file = "test.json";
  for (const std::string& text : regexes) {
    auto regex = translate_python_regex(text);
    EXPECT_TRUE(regex.has_value()) << text << ": " << (regex ? "" : regex.error().reason);
    if (regex) pattern.regexes.push_back(*regex);
  }
  return pattern;
}

inline std::shared_ptr<const CompiledPatterns> compiled(std::vector<IssuePattern> patterns,
                                                        const std::string& cache = {}) {
  std::vector<RefusedPattern> refused;
  auto made = CompiledPatterns::compile(std::move(patterns), cache, refused);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  for (const RefusedPattern& one : refused) ADD_FAILURE() << one.text();
  return made ? *made : nullptr;
}

/// The patterns in the slower form that is used until their compilation is done.
inline std::shared_ptr<const CompiledPatterns> uncompiled(std::vector<IssuePattern> patterns) {
  std::vector<RefusedPattern> refused;
  auto made = CompiledPatterns::at_once(std::move(patterns), "", refused);
  EXPECT_FALSE(made->is_compiled());
  return made;
}

inline std::vector<schema::IssueDetectedT> facts_of(const CompiledPatterns& patterns, std::string_view text,
                                                    std::size_t most = 1'000'000) {
  std::vector<schema::IssueDetectedT> found;
  patterns.match({text, 0, 1}, most, PatternMask(patterns.patterns().size(), true), found);
  return found;
}

/// "LINE_NO@OFFSET PATTERN" for each fact.
inline std::vector<std::string> told(const std::vector<schema::IssueDetectedT>& facts) {
  std::vector<std::string> lines;
  for (const auto& fact : facts) {
    lines.push_back(std::to_string(fact.line_no) + "@" + std::to_string(fact.offset) + " " + fact.pattern);
  }
  return lines;
}

}  // namespace luzia
