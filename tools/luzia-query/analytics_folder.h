// The folder of an analytics export while it is written: DIR/.luzia-export holds what is done, so that one
// that was broken off can go on, and nothing in DIR changes before all of it is there. One thread; of several
// exports to one folder at a time only the first goes on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/files/out_file.h"
#include "engine/event/event.h"
#include "tools/luzia-query/new_folders.h"

namespace luzia {

/// How far an export has come. Kept as state.json.
struct AnalyticsState {
  std::string asked;      // filters and moment, in words: another question cannot go on here
  Position position = 0;  // of the log; 0: not known yet
  TimeUs as_of = 0;       // what running durations count up to
  std::map<std::string, std::uint64_t> rows;  // of each table
  std::vector<std::string> done;              // views
  bool moving = false;                        // all files are whole, and some may be in their places
};

class AnalyticsFolder {
 public:
  /// Makes what is missing. With `resume` what is there stays, else the export begins anew. Errors:
  /// `output_failed` (trouble), `export_running` (refused), `other_export` (usage): what is there was asked
  /// with other options.
  static Result<AnalyticsFolder> open(const std::string& folder, const std::string& asked, bool resume);
  AnalyticsFolder(AnalyticsFolder&& other) noexcept;
  AnalyticsFolder& operator=(AnalyticsFolder&&) = delete;
  /// What is not finished stays for --resume, unless nothing of it is done.
  ~AnalyticsFolder();

  AnalyticsState state;
  bool is_done(const std::string& view) const;
  /// Forgets what is done.
  void begin_anew();
  /// Remembers `state`.
  Status save() const;

  /// The place of a file while it is written.
  std::string part(const std::string& name) const { return work_ + "/" + name; }
  /// Puts these files, all whole, into their places and removes the rest. Goes on where it was broken off.
  Status finish(const std::vector<std::string>& files);

 private:
  explicit AnalyticsFolder(const std::string& folder) : folder_(folder), made_(folder) {}
  Status load(const std::string& asked, bool resume);

  std::string folder_, work_;
  NewFolders made_;
  int lock_ = -1;
};

}  // namespace luzia
