// The patterns of known issues as luziad holds them: read and compiled on a thread of its own, so that
// neither the start, nor a reload, nor a job's end waits for a compilation. Patterns are in force as soon as
// their files are read, and go on as they are while Vectorscan compiles them. Output is not looked through
// while files are read, which takes milliseconds: readers wait, so what is printed after a reload was
// answered is looked through by the new ones. Loop thread, but for what matcher() returns.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
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
  /// Waits for a load and a compilation that are under way; none begins any more.
  ~KnownIssues();

  /// Reads the files anew, after a load that is under way, not after a compilation. What is wrong with them
  /// is told in the log.
  void reload(std::vector<std::string> files);

  /// The patterns of a project as they are when it is called; it may be on any thread and outlive this
  /// object.
  IssueTally::Matcher matcher(std::string project) const;

 private:
  std::shared_ptr<IssuePatterns> patterns_;
  std::shared_ptr<std::atomic<bool>> closing_ = std::make_shared<std::atomic<bool>>(false);
  std::thread loader_;  // the last one; each ends after the one before it
  struct LastLoad {
    std::mutex mutex;
    std::shared_future<void> done;  // under mutex: the files were read
  };
  std::shared_ptr<LastLoad> last_load_ = std::make_shared<LastLoad>();
};

}  // namespace luzia
