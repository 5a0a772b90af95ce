#include "tools/luziad/watching/known_issues.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace luzia {
namespace {

void warn_of(const std::vector<RefusedPattern>& refused) {
  for (const RefusedPattern& each : refused) spdlog::warn("known issues: {}", each.text());
}

void load(IssuePatterns& patterns, const std::vector<std::string>& files) {
  const IssuePatternsReport report = patterns.load(files);
  for (const Error& error : report.files) spdlog::warn("known issues: {}", error.message);
  warn_of(report.refused);
  for (const std::string& replaced : report.replaced) spdlog::info("known issues: {}", replaced);
  spdlog::info("known issues: {} patterns in force{}", report.patterns,
               report.from_cache ? ", from the cache" : "; they are compiled meanwhile");
}

void compile(IssuePatterns& patterns) {
  const auto refused = patterns.compile();
  if (!refused) return spdlog::error("known issues: {} ({})", refused.error().message, refused.error().hint);
  warn_of(*refused);
}

}  // namespace

KnownIssues::KnownIssues(std::string cache_folder, std::string made_folder)
    : patterns_(std::make_shared<IssuePatterns>(
          IssuePatterns::Options{std::move(cache_folder), true, std::move(made_folder)})) {
  last_load_->done = first_->get_future().share();
}

KnownIssues::~KnownIssues() {
  *closing_ = true;
  if (loader_.joinable()) loader_.join();
}

void KnownIssues::reload(std::vector<std::string> files) {
  std::promise<void> loaded = std::exchange(first_, std::nullopt).value_or(std::promise<void>());
  std::shared_future<void> loaded_before;
  if (loader_.joinable()) {
    loaded_before = loaded.get_future().share();
    const std::lock_guard lock(last_load_->mutex);
    std::swap(last_load_->done, loaded_before);
  }
  loader_ = std::thread([patterns = patterns_, files = std::move(files), before = std::move(loader_),
                         loaded_before, loaded = std::move(loaded), closing = closing_]() mutable {
    // Loads follow one another, so that the last files win. Only the compilation waits for the earlier one,
    // which may take seconds: output is searched with the new patterns before that.
    if (loaded_before.valid()) loaded_before.wait();
    load(*patterns, files);
    loaded.set_value();
    if (before.joinable()) before.join();
    if (!*closing) compile(*patterns);
  });
}

IssueTally::Matcher KnownIssues::matcher(std::string project) const {
  return [source = patterns_->source(), last = last_load_, project = std::move(project)] {
    std::shared_future<void> loaded;
    {
      const std::lock_guard lock(last->mutex);
      loaded = last->done;
    }
    loaded.wait();
    return source(project);
  };
}

}  // namespace luzia
