// The daemon's patterns of known issues, read and compiled on a separate thread, so that neither the start,
// nor a reload, nor a job's end waits for a compilation. Patterns are in force as soon as their files are
// read, and are used uncompiled while Vectorscan compiles them. While files are read, which takes
// milliseconds, the search of output waits. So output printed after a reload was answered is searched with
// the new patterns. Loop thread, except for the function that matcher() returns.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/issues/issue_patterns.h"
#include "adapters/output_log/issue_tally.h"

namespace luzia {

class KnownIssues {
 public:
  /// `cache_folder` holds compiled patterns, `made_folder` the shipped ones, precompiled.
  KnownIssues(std::string cache_folder, std::string made_folder);
  /// Waits for a load or compilation in progress; none begins any more.
  ~KnownIssues();

  /// Reads the files, after a load in progress but without waiting for a compilation. Logs problems with
  /// them. The search of output waits for the first call.
  void reload(std::vector<std::string> files);

  /// Nothing waits for the first call of reload() any more: there may be none.
  void close() { first_.reset(); }

  /// Returns a function that gives the project's patterns in force when it is called. Call it on any thread;
  /// it may outlive this object.
  IssueTally::Matcher matcher(std::string project) const;

 private:
  std::shared_ptr<IssuePatterns> patterns_;
  std::shared_ptr<std::atomic<bool>> closing_ = std::make_shared<std::atomic<bool>>(false);
  std::thread loader_;  // the last one; each ends after its predecessor
  struct LastLoad {
    std::mutex mutex;
    std::shared_future<void> done;  // under mutex: ready once the files were read
  };
  std::optional<std::promise<void>> first_ =
      std::promise<void>();  // `done` of the first load, until it begins
  std::shared_ptr<LastLoad> last_load_ = std::make_shared<LastLoad>();
};

}  // namespace luzia
