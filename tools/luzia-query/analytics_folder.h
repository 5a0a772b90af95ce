// The folder of an analytics export while it is written. DIR/.luzia-export holds the finished parts, so that
// an interrupted export can continue. Nothing else in DIR changes before all files are complete. One thread.
// If several exports write to one folder at once, only the first continues.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/files/out_file.h"
#include "engine/event/event.h"
#include "tools/luzia-query/new_folders.h"

namespace luzia {

/// The progress of an export, kept as state.json.
struct AnalyticsState {
  std::string asked;      // filters and moment as options; --resume must be given the same ones
  Position position = 0;  // of the log; 0: not known yet
  TimeUs as_of = 0;       // time up to which running durations count
  std::map<std::string, std::uint64_t> rows;  // number of rows by table
  std::vector<std::string> done;              // finished views
  bool moving = false;                        // all files are complete, and some may be moved to DIR already
};

class AnalyticsFolder {
 public:
  /// Creates the folders and locks them. With `resume` keeps finished parts, otherwise starts over. Errors:
  /// - `output_failed` (trouble).
  /// - `export_running` (refused): another export writes to the folder.
  /// - `other_export` (usage): the parts belong to an export with other options.
  static Result<AnalyticsFolder> open(const std::string& folder, const std::string& asked, bool resume);
  AnalyticsFolder(AnalyticsFolder&& other) noexcept;
  AnalyticsFolder& operator=(AnalyticsFolder&&) = delete;
  /// Keeps an unfinished export for --resume, unless no view is done.
  ~AnalyticsFolder();

  AnalyticsState state;
  bool is_done(const std::string& view) const;
  /// Discards the finished parts.
  void begin_anew();
  /// Writes `state` to disk.
  Status save() const;

  /// The path of a file while it is written.
  std::string part(const std::string& name) const { return work_ + "/" + name; }
  /// Moves these complete files to DIR and removes the work folder. Continues an interrupted move.
  Status finish(const std::vector<std::string>& files);

 private:
  explicit AnalyticsFolder(const std::string& folder) : folder_(folder), made_(folder) {}
  Status load(const std::string& asked, bool resume);

  std::string folder_, work_;
  NewFolders made_;
  int lock_ = -1;
};

}  // namespace luzia
