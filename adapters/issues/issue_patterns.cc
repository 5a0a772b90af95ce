#include "adapters/issues/issue_patterns.h"

#include <algorithm>
#include <map>

#include "adapters/issues/project_matcher.h"

namespace luzia {
/// Immutable once made.
struct IssuePatterns::Loaded {
  explicit Loaded(std::shared_ptr<const CompiledPatterns> all) : patterns(std::move(all)) {
    general = project_matcher(patterns, "");
    for (const IssuePattern& pattern : patterns->patterns()) {
      const std::string& project = pattern.project;
      if (project.empty() || by_project.contains(project)) continue;
      by_project.emplace(project, project_matcher(patterns, project));
    }
  }

  std::shared_ptr<const CompiledPatterns> patterns;
  std::shared_ptr<const IssueMatcher> general;
  std::map<std::string, std::shared_ptr<const IssueMatcher>, std::less<>>
      by_project;  // projects with their own patterns
};

/// Shared with the functions that source() gave out.
struct IssuePatterns::Current {
  mutable std::mutex mutex;
  std::shared_ptr<const Loaded> loaded;

  std::shared_ptr<const Loaded> get() const {
    const std::lock_guard lock(mutex);
    return loaded;
  }
  std::shared_ptr<const IssueMatcher> matcher(std::string_view project) const {
    const std::shared_ptr<const Loaded> now = get();
    if (!now) return nullptr;
    const auto own = now->by_project.find(project);
    return own == now->by_project.end() ? now->general : own->second;
  }
};

IssuePatterns::IssuePatterns(Options options)
    : options_(std::move(options)), current_(std::make_shared<Current>()) {}

IssuePatterns::~IssuePatterns() = default;

std::shared_ptr<const IssueMatcher> IssuePatterns::matcher(std::string_view project) const {
  return current_->matcher(project);
}

IssueMatcherSource IssuePatterns::source() const {
  return [current = current_](std::string_view project) { return current->matcher(project); };
}

std::vector<PatternFile> IssuePatterns::read_files(const std::vector<std::string>& files,
                                                   IssuePatternsReport& report) const {
  std::vector<PatternFile> read;
  for (const std::string& path : files) {
    auto file = read_pattern_file(path);
    if (file) {
      read.push_back(std::move(*file));
      continue;
    }
    report.files.push_back(std::move(file.error()));
    const auto former = std::ranges::find(files_, path, &PatternFile::path);
    if (former != files_.end()) read.push_back(*former);
  }
  return read;
}

IssuePatternsReport IssuePatterns::load(const std::vector<std::string>& files) {
  const std::lock_guard lock(loading_);
  IssuePatternsReport report;
  files_ = read_files(files, report);
  std::vector<PatternFile> all = options_.shipped ? shipped_patterns() : std::vector<PatternFile>();
  all.insert(all.end(), files_.begin(), files_.end());
  for (const PatternFile& file : all) {
    report.refused.insert(report.refused.end(), file.refused.begin(), file.refused.end());
  }
  auto patterns = CompiledPatterns::at_once(merged_patterns(all, report.replaced), options_.cache_folder,
                                            report.refused, options_.made_folder);
  report.patterns = patterns->patterns().size();
  report.from_cache = patterns->from_cache();
  auto loaded = std::make_shared<const Loaded>(std::move(patterns));
  const std::lock_guard current_lock(current_->mutex);
  current_->loaded = std::move(loaded);
  return report;
}

Result<std::vector<RefusedPattern>> IssuePatterns::compile() {
  std::vector<RefusedPattern> refused;
  const std::shared_ptr<const Loaded> now = current_->get();
  if (!now || now->patterns->is_compiled()) return refused;
  auto compiled = LUZIA_TRY(CompiledPatterns::compile(now->patterns->patterns(), options_.cache_folder,
                                                      refused, options_.made_folder));
  auto loaded = std::make_shared<const Loaded>(std::move(compiled));
  const std::lock_guard current_lock(current_->mutex);
  if (current_->loaded == now) current_->loaded = std::move(loaded);
  return refused;
}

Result<IssuePatternsReport> IssuePatterns::reload(const std::vector<std::string>& files) {
  IssuePatternsReport report = load(files);
  const auto refused = LUZIA_TRY(compile());
  report.refused.insert(report.refused.end(), refused.begin(), refused.end());
  return report;
}

}  // namespace luzia
