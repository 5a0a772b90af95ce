// Running jobs that change the same files: who changes what, as their agents' tool calls say and as was seen
// in the tree (work_times.h), and which pairs meet there. A fold of events, live and from the log alike, so
// that a daemon that starts knows what the last one knew: what was raised stands in the log as FilesContended
// and is not raised again. One thread.
//
// What agents only read is no matter. (That a tree differs while two jobs work in it counts for neither: git
// tells that files differ, not which of the two did it.)
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

  /// Of one job; beyond that what its agent changes is no longer noted.
  static constexpr std::size_t kMostFiles = 2000;
  /// In one event: of a contention, and of what was seen.
  static constexpr std::size_t kMostNamed = 50, kMostSeenNamed = 100;
  /// Bytes of names in one event of what was seen.
  static constexpr std::size_t kMostSeenBytes = 32 << 10;

  /// Folders that are reached by a symbolic link, of whom the real one is known.
  static constexpr std::size_t kMostLinks = 1000;

  /// Relative paths of the job's calls are below `folder`. Known jobs are left as they are.
  void watch(const std::string& job, std::string folder, std::uint32_t attempt = 1);
  /// `folder` of watch() is reached by a link, and is `real` (absolute, without links): what lies below it is
  /// the same as what lies below that, also of what is known already.
  void link(const std::string& folder, const std::string& real);
  bool watches(std::string_view job) const { return jobs_.contains(job); }
  /// Its attempt is over: whoever changes its files from now on meets nobody.
  void forget(std::string_view job);
  /// Its attempt is over, but what it has done up to its end is still to be seen: it is kept until forget(),
  /// and is told of nothing that it met while the other one can be. What agents say that they change from now
  /// on doesn't meet it.
  void end(std::string_view job);
  /// Whether it is kept so, or not watched.
  bool is_over(const std::string& job) const;
  /// As it is watched; 0: it is not.
  std::uint32_t attempt_of(std::string_view job) const;

  /// A file of the tree `top`, relative to it, was seen to be changed by a watched job. False: that is known.
  bool see(const std::string& job, const std::string& top, std::string_view file);

  /// An event of a watched job's stream; of others nothing follows.
  void take(const schema::Event& event);

  /// The later job of a pair, which is to be told, the one it met, and the files that no event has named yet.
  struct Met {
    std::string job, other;
    std::vector<std::string> files;
    Position cause = 0;     // the last event, of either, that told of one of these changes; 0: none has yet
    bool inferred = false;  // of some file that was seen in the tree, not said by an agent
  };
  /// What is to be raised; each pair's file comes once.
  std::vector<Met> take_met();

 private:
  struct Watched {
    std::string folder;
    std::set<std::string> files;
    Position changed_at = 0;
    std::set<std::string> seen = {};  // of the files
    bool over = false;
    std::uint32_t attempt = 1;
  };
  using Pair = std::pair<std::string, std::string>;  // in order of ids
  struct Meeting {
    std::set<std::string> files;
    Position cause = 0;
  };

  /// As the paths of all jobs are compared.
  std::string full_path(const std::string& folder, std::string_view file) const;
  /// `at`: the event that tells of it; 0: none does yet.
  bool change(const std::string& job, Watched& watched, std::string_view file, bool seen, Position at);
  /// What two jobs changed by one name was judged when the second one did it, and is not once more when their
  /// changes are gone through again.
  void note_shared();
  bool has_seen(const std::string& job, const std::string& file) const;
  void raised(const std::string& job, const schema::FilesContended& fact);
  static Pair pair_of(const std::string& one, const std::string& other);

  bool (*changes_files_)(std::string_view tool);
  std::map<std::string, Watched, std::less<>> jobs_;
  std::map<std::string, std::set<std::string>> changed_by_;  // jobs, by file
  std::map<Pair, std::set<std::string>> known_;              // raised, about to be, or judged before a link()
  std::map<Pair, Meeting> met_;                              // job that came later, the other: to be raised
  std::map<std::string, std::string> links_;                 // by folder: the real one
};

}  // namespace luzia
