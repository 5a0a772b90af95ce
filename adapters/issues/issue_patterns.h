// The patterns in force: the shipped library and the configured files, later files over earlier ones by name,
// and the matcher of each project. Any thread.
//
// They are in force as soon as they are read, and compiled by a call of its own, because that takes seconds
// the first time: until then they are looked for as they are (see ExpressionSet), with the same facts. Who
// waits for a matcher never waits for a compilation.
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
  bool from_cache = false;  // no expression has to be compiled
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

  /// Reads the files anew and puts their patterns in force, within milliseconds. A file that cannot be read,
  /// or is no pattern file, keeps the patterns that it gave before. What is not from the cache is to be
  /// compiled next. Calls wait for each other.
  IssuePatternsReport load(const std::vector<std::string>& files);
  /// Compiles what is in force, unless it is, and takes that for it, unless other patterns came into force
  /// meanwhile. Takes seconds. Returns what Vectorscan does not take: it matches no longer. Errors: see
  /// ExpressionDatabase::open; what is in force goes on as it is then.
  Result<std::vector<RefusedPattern>> compile();
  /// Both. `from_cache` as load() has it, `refused` of both.
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
  std::mutex loading_;
  std::vector<PatternFile> files_;  // configured ones, as they were read last; of load()
  std::shared_ptr<Current> current_;
};

}  // namespace luzia
