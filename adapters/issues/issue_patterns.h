// The patterns in force: the shipped library and the configured files, later files over earlier ones by name,
// and the matcher of each project. Any thread; reload() calls wait for each other.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/issue_pattern.h"
#include "engine/ports/issue_matcher.h"

namespace luzia {

/// What came of loading, for the log and `doctor`.
struct IssuePatternsReport {
  std::size_t patterns = 0;             // in force, of all projects together
  std::vector<Error> files;             // not read, or not as a whole: their former patterns stay
  std::vector<RefusedPattern> refused;  // the others of their files are in force
  std::vector<std::string>
      replaced;             // "pattern disk-full of /etc/.../known_issues.json replaces shipped/disk.json"
  bool from_cache = false;  // no expression had to be compiled
};

class IssuePatterns {
 public:
  struct Options {
    std::string cache_folder;  // of compiled patterns; empty: compiled at each start
    bool shipped = true;
    std::string made_folder = {};  // what came compiled with the program
  };

  explicit IssuePatterns(Options options);
  ~IssuePatterns();

  /// Reads the files anew. A file that cannot be read, or is no pattern file, keeps the patterns that it gave
  /// before. The first call loads. Errors: see ExpressionDatabase::open; nothing has changed then.
  Result<IssuePatternsReport> reload(const std::vector<std::string>& files);

  /// Null: no pattern concerns the project, or nothing is loaded.
  std::shared_ptr<const IssueMatcher> matcher(std::string_view project) const;
  /// The same as a function that may outlive this object.
  IssueMatcherSource source() const;

 private:
  struct Loaded;
  struct Current;

  std::vector<PatternFile> read_files(const std::vector<std::string>& files,
                                      IssuePatternsReport& report) const;

  const Options options_;
  std::mutex reloading_;
  std::vector<PatternFile> files_;  // configured ones, as they were read last; of reload()
  std::shared_ptr<Current> current_;
};

}  // namespace luzia
