#include "tools/luziad/known_issues.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace luzia {
namespace {

void load(IssuePatterns& patterns, const std::vector<std::string>& files) {
  const auto report = patterns.reload(files);
  if (!report) return spdlog::error("known issues: {}", report.error().message);
  for (const Error& error : report->files) spdlog::warn("known issues: {}", error.message);
  for (const RefusedPattern& refused : report->refused) spdlog::warn("known issues: {}", refused.text());
  for (const std::string& replaced : report->replaced) spdlog::info("known issues: {}", replaced);
  spdlog::info("known issues: {} patterns{}", report->patterns, report->from_cache ? ", from the cache" : "");
}

}  // namespace

KnownIssues::KnownIssues(std::string cache_folder, std::string made_folder, std::vector<std::string> files)
    : patterns_(std::make_shared<IssuePatterns>(
          IssuePatterns::Options{std::move(cache_folder), true, std::move(made_folder)})) {
  std::promise<void> done;
  loaded_ = done.get_future().share();
  loader_ = std::thread([patterns = patterns_, files = std::move(files), done = std::move(done)]() mutable {
    load(*patterns, files);
    done.set_value();
  });
}

KnownIssues::~KnownIssues() {
  if (loader_.joinable()) loader_.join();
}

void KnownIssues::reload(std::vector<std::string> files) {
  loader_ =
      std::thread([patterns = patterns_, files = std::move(files), before = std::move(loader_)]() mutable {
        before.join();
        load(*patterns, files);
      });
}

IssueTally::Matcher KnownIssues::matcher(std::string project) const {
  return [source = patterns_->source(), loaded = loaded_, project = std::move(project)] {
    loaded.wait();
    return source(project);
  };
}

}  // namespace luzia
