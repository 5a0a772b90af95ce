// Detects running jobs that change the same files. Who changes what is known from the tool calls of agents.
// One thread.
//
// This is a fold of events, the same live and from the log, so a restarted daemon knows what the last one
// knew. What was raised is in the log as FilesContended and is not raised again.
//
// Files that agents only read do not count. Neither does a tree that differs while two jobs work in it: git
// tells that files differ, but not which job changed them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/event/event.h"

namespace luzia {

class FileContention {
 public:
  /// `changes_files`: whether a call of this tool changes the files that it names.
  explicit FileContention(bool (*changes_files)(std::string_view tool)) : changes_files_(changes_files) {}

  /// Maximum number of files noted for one job; further changes of its agent are ignored.
  static constexpr std::size_t kMostFiles = 2000;
  /// Maximum number of files named in one event.
  static constexpr std::size_t kMostNamed = 50;
  /// Maximum number of folders known as symbolic links.
  static constexpr std::size_t kMostLinks = 1000;

  /// Starts to watch a job. Relative paths of its calls are below `folder`. Does nothing if the job is
  /// watched already.
  void watch(const std::string& job, std::string folder);
  /// `folder` of watch() is a symbolic link to `real` (absolute, without links). Paths below both name the
  /// same files; this also merges what is known already.
  void link(const std::string& folder, const std::string& real);
  /// Stops watching the job: its attempt is over, and later changes of its files meet nobody.
  void forget(std::string_view job);

  /// Takes an event. Only events of watched jobs' streams matter.
  void take(const schema::Event& event);

  /// A pair of jobs that change the same files: the later one, which is notified, the other, and the files
  /// that no event has named yet.
  struct Met {
    std::string job, other;
    std::vector<std::string> files;
    Position cause = 0;  // position of the last event that reported one of these changes
  };
  /// Returns what is to be raised. Each file is returned once for a pair.
  std::vector<Met> take_met();

 private:
  struct Watched {
    std::string folder;
    std::set<std::string> files = {};
    Position changed_at = 0;
  };
  using Pair = std::pair<std::string, std::string>;  // in order of ids
  struct Meeting {
    std::set<std::string> files;
    Position cause = 0;
  };

  /// The normalized absolute path by which files of all jobs are compared.
  std::string full_path(const std::string& folder, std::string_view file) const;
  /// `at`: position of the event that reports it.
  void change(const std::string& job, Watched& watched, std::string_view file, Position at);
  void raised(const std::string& job, const schema::FilesContended& fact);
  static Pair pair_of(const std::string& one, const std::string& other);

  bool (*changes_files_)(std::string_view tool);
  std::map<std::string, Watched, std::less<>> jobs_;
  std::map<std::string, std::set<std::string>> changed_by_;  // by file: its jobs
  // Raised, or about to be raised.
  std::map<Pair, std::set<std::string>> known_;
  std::map<Pair, Meeting> met_;               // by the later job and the other: to be raised
  std::map<std::string, std::string> links_;  // by folder: the real one
};

}  // namespace luzia
