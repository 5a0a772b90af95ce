// The patterns in force: the shipped library and the configured files, where later files replace patterns of
// the same name. Also provides the matcher of each project. Any thread.
//
// Patterns are in force as soon as they are read. A separate call compiles them, because that takes seconds
// the first time. Until then they are matched uncompiled (see ExpressionSet), with the same facts. A request
// for a matcher never waits for compilation.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/issue_pattern.h"
#include "engine/ports/issue_matcher.h"

namespace luzia {

/// The result of loading, for the log and `doctor`.
struct IssuePatternsReport {
  std::size_t patterns = 0;             // in force, for all projects together
  std::vector<Error> files;             // files not read, or only in part: their former patterns stay
  std::vector<RefusedPattern> refused;  // the other patterns of their files are in force
  std::vector<std::string>
      replaced;             // "pattern disk-full of /etc/.../known_issues.json replaces shipped/disk.json"
  bool from_cache = false;  // no expression needs to be compiled
};

class IssuePatterns {
 public:
  struct Options {
    std::string cache_folder;  // for compiled patterns; empty: compiled at each start
    bool shipped = true;
    std::string made_folder = {};  // precompiled patterns that ship with the program
  };

  explicit IssuePatterns(Options options);
  ~IssuePatterns();

  /// Reads the files again and puts their patterns in force within milliseconds. A file that cannot be read,
  /// or is not a pattern file, keeps the patterns it had before. Call compile() next unless the cache had
  /// everything. Concurrent calls wait for each other.
  IssuePatternsReport load(const std::vector<std::string>& files);
  /// Compiles the patterns in force unless they are compiled, and uses the result unless other patterns came
  /// into force meanwhile. Takes seconds. Returns the expressions that Vectorscan rejects: they no longer
  /// match. Errors: see ExpressionDatabase::open; on an error nothing changes.
  Result<std::vector<RefusedPattern>> compile();
  /// load() and compile(). `from_cache` is load()'s; `refused` has those of both.
  Result<IssuePatternsReport> reload(const std::vector<std::string>& files);

  /// Null: no pattern applies to the project, or nothing is loaded.
  std::shared_ptr<const IssueMatcher> matcher(std::string_view project) const;
  /// matcher() as a function that may outlive this object.
  IssueMatcherSource source() const;

 private:
  struct Loaded;
  struct Current;

  std::vector<PatternFile> read_files(const std::vector<std::string>& files,
                                      IssuePatternsReport& report) const;

  const Options options_;
  std::mutex loading_;
  std::vector<PatternFile> files_;  // the configured ones as last read; used by load()
  std::shared_ptr<Current> current_;
};

}  // namespace luzia
