// The patterns of known issues as luziad holds them: loaded on a thread of their own, so that neither the
// start nor a reload waits for a compilation. Output is not looked through before the first load is over:
// readers wait. Loop thread, but for what matcher() returns.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/issues/issue_patterns.h"
#include "adapters/output_log/issue_tally.h"

namespace luzia {

class KnownIssues {
 public:
  /// Compiled patterns are kept in `cache_folder`; the shipped ones came compiled in `made_folder`. Begins
  /// the first load.
  KnownIssues(std::string cache_folder, std::string made_folder, std::vector<std::string> files);
  /// Waits for a load that is under way.
  ~KnownIssues();

  /// Reads the files anew, after a load that is under way. What is wrong with them is told in the log.
  void reload(std::vector<std::string> files);

  /// The patterns of a project as they are when it is called; it may be on any thread and outlive this
  /// object.
  IssueTally::Matcher matcher(std::string project) const;

 private:
  std::shared_ptr<IssuePatterns> patterns_;
  std::thread loader_;
  std::shared_future<void> loaded_;
};

}  // namespace luzia
