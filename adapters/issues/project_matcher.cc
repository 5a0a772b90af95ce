#include "adapters/issues/project_matcher.h"

#include <algorithm>
#include <map>

namespace luzia {
namespace {

class ProjectMatcher : public IssueMatcher {
 public:
  ProjectMatcher(std::shared_ptr<const CompiledPatterns> patterns, PatternMask mask)
      : patterns_(std::move(patterns)), mask_(std::move(mask)) {}

  std::size_t match(const LineBlock& block, std::size_t most,
                    std::vector<schema::IssueDetectedT>& found) const override {
    return patterns_->match(block, most, mask_, found);
  }

 private:
  std::shared_ptr<const CompiledPatterns> patterns_;
  PatternMask mask_;
};

/// Project and name identify a pattern.
using PatternKey = std::pair<std::string, std::string>;

/// The project's own patterns, and the general ones whose names they do not override.
PatternMask mask_of(const std::vector<IssuePattern>& patterns, std::string_view project) {
  PatternMask mask(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto is_own = [&](const IssuePattern& other) {
      return other.project == project && other.name == patterns[i].name;
    };
    // Sorted by name: patterns of the same name are adjacent.
    const auto same_name = std::ranges::equal_range(patterns, patterns[i].name, {}, &IssuePattern::name);
    const bool taken = std::ranges::any_of(same_name, is_own);
    mask[i] = project.empty() || !taken ? patterns[i].project.empty() : patterns[i].project == project;
  }
  return mask;
}

}  // namespace

std::vector<IssuePattern> merged_patterns(const std::vector<PatternFile>& files,
                                          std::vector<std::string>& replaced) {
  std::map<PatternKey, IssuePattern> by_key;
  for (const PatternFile& file : files) {
    for (const IssuePattern& pattern : file.patterns) {
      IssuePattern& place = by_key[{pattern.name, pattern.project}];
      if (!place.name.empty()) {
        replaced.push_back("pattern " + pattern.name + " of " + pattern.file + " replaces that of " +
                           place.file);
      }
      place = pattern;
    }
  }
  std::vector<IssuePattern> patterns;
  patterns.reserve(by_key.size());
  for (auto& [key, pattern] : by_key) patterns.push_back(std::move(pattern));
  return patterns;
}

std::shared_ptr<const IssueMatcher> project_matcher(const std::shared_ptr<const CompiledPatterns>& patterns,
                                                    std::string_view project) {
  PatternMask mask = mask_of(patterns->patterns(), project);
  if (std::ranges::find(mask, true) == mask.end()) return nullptr;
  return std::make_shared<ProjectMatcher>(patterns, std::move(mask));
}

}  // namespace luzia
